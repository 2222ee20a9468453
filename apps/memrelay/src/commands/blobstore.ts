import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PartStartError, startPart } from '@memrelay/process/start-part';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { entryOf } from '../system/part-settings.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { catchInterruption, untilAborted } from '../terminal/interruption.ts';
import type { Output } from '../terminal/output.ts';

/** Separate from the blobs of `memrelay up`, which belong to its chain. */
const folder = 'walrus';

/**
 * Runs the blob store alone until Ctrl-C. Passes `flags` to it unchanged. Without a directory in the flags, the blobs
 * are in the data directory.
 */
export async function blobstore(
  output: Output,
  flags: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const entry = entryOf('blobstore');
  if (flags.some((flag) => flag === '--help' || flag === '-h')) return printHelp(entry);
  const directory = join(dataDir(environment), folder);
  const stopping = catchInterruption('Stopped before it was ready.');
  output.step('Starting the blob store');
  const part = await startPart({
    name: 'blob store',
    entry,
    args: flags,
    environment: {
      ...environment,
      LOG_LEVEL: environment.LOG_LEVEL || 'warn',
      BLOBSTORE_DATA_DIR: environment.BLOBSTORE_DATA_DIR || directory,
    },
    onLine: (line) => output.line(line),
    onStderr: (text) => output.partOutput('blobstore', text),
  }).catch((error: unknown) => {
    if (!(error instanceof PartStartError)) throw error;
    throw new ExitError(exitCodes.usage, 'the blob store did not start; the reason is above', {
      cause: error,
    });
  });
  output.done();
  announce(output, part.url);
  try {
    const ended = await Promise.race([part.ended, untilAborted(stopping.signal)]);
    if (ended !== undefined) throw new ExitError(exitCodes.failed, `the blob store ended: ${ended}`);
  } finally {
    await part.stop();
    stopping.release();
  }
  output.result({ event: 'stopped' });
  output.line('Stopped. The blobs are kept.');
}

async function printHelp(entry: string): Promise<void> {
  const child = spawn(process.execPath, [entry, '--help'], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  // The blob store has printed the reason
  if (code !== 0) throw new ExitError(exitCodes.failed, '');
}

function announce(output: Output, url: string): void {
  output.result({ event: 'ready', url });
  output.line(`A Walrus publisher and aggregator is ready.

  Publisher and aggregator  ${url}
  Reference of the API      ${url}/v1/api

Try next, in another terminal:
  curl -X PUT ${url}/v1/blobs --data 'some other string'
  curl ${url}/v1/blobs/BLOB_ID        with the blobId of the answer

All flags: npx memrelay blobstore --help. Ctrl-C stops it.`);
}
