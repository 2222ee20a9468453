import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { type ExportProgress, exportBundle } from '@memrelay/sdk/bundle/export-bundle';
import { type BundlePosition, resumeBundle } from '@memrelay/sdk/bundle/resume-bundle';
import { fileBytes } from '../bundle/bundle-file.ts';
import { type PassphraseOption, readPassphrase } from '../bundle/passphrase.ts';
import type { ConnectOptions, NamespaceOption } from '../client/connect.ts';
import { type ResumableRun, runResumable } from '../client/resumable.ts';
import { dataSize } from '../terminal/data-size.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { printFailures } from '../terminal/failure-list.ts';
import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/plain-text.ts';

export interface ExportCommandOptions extends ConnectOptions, NamespaceOption, PassphraseOption {}

/** Long enough to continue after a restart of the relayer or of its key servers. */
const patience = { retryForMs: 5 * 60_000 };

/**
 * Writes memories and their keys to a file, encrypted with a passphrase. An interrupted export leaves `FILE.part`; the
 * next one continues it.
 */
export async function exportFile(output: Output, path: string, options: ExportCommandOptions): Promise<void> {
  if (await isThere(path)) throw new ExitError(exitCodes.usage, `${path} already exists.`);
  await runResumable(output, { connect: options, ...patience }, (run) =>
    writeBundle(output, path, options, run),
  );
}

async function writeBundle(
  output: Output,
  path: string,
  options: ExportCommandOptions,
  { client, signal }: ResumableRun,
): Promise<void> {
  const part = `${path}.part`;
  let file: FileHandle | undefined;
  let last: ExportProgress = { memories: 0, failed: [] };
  try {
    await client.account({ signal });
    const found = await isThere(part);
    const passphrase = await readPassphrase(output, options, { twice: !found });
    const resume = found ? await positionOf(part, passphrase, options, client.accountId) : undefined;
    if (resume)
      output.line(
        `Resuming an interrupted export: it already contains ${counted(resume.memories, 'memory', 'memories')}.`,
      );
    output.step('Exporting');
    file = await open(part, resume ? 'r+' : 'w', 0o600);
    await file.truncate(resume?.bytes ?? 0);
    let position = resume?.bytes ?? 0;
    const parts = exportBundle(client, {
      passphrase,
      namespace: options.namespace,
      resume,
      signal,
      primitives: nodePrimitives,
      onProgress(progress) {
        last = progress;
        output.progress(() => `${counted(progress.memories, 'memory', 'memories')} · ${dataSize(position)}`);
      },
    });
    for await (const bytes of parts) {
      await file.write(bytes, 0, bytes.length, position);
      position += bytes.length;
    }
    await file.sync();
    await file.close();
    file = undefined;
    await rename(part, path);
    output.done();
    report(output, path, last, position);
  } finally {
    await file?.close();
  }
}

/** The position at which the export continues. Throws `ExitError` if the file is from another export. */
async function positionOf(
  part: string,
  passphrase: string,
  { namespace }: NamespaceOption,
  accountId: string,
): Promise<BundlePosition | undefined> {
  const position = await resumeBundle(fileBytes(part), passphrase, nodePrimitives);
  if (position === 'complete')
    throw new ExitError(
      exitCodes.usage,
      `${part} is a complete bundle: rename it, or remove it to start over.`,
    );
  if (position && (position.start.namespace !== namespace || position.start.account_id !== accountId))
    throw new ExitError(
      exitCodes.usage,
      `${part} is an unfinished export of another account or namespace: remove it to start over.`,
    );
  return position;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function report(output: Output, path: string, { memories, failed }: ExportProgress, bytes: number): void {
  output.result({
    file: path,
    memories,
    bytes,
    failed: failed.map(({ id, blobId, reason }) => ({ id, ...(blobId ? { blob_id: blobId } : {}), reason })),
  });
  output.line(`${counted(memories, 'memory', 'memories')} in ${path} (${dataSize(bytes)}).`);
  output.line('Anyone with the file and its passphrase can read them. The file alone reveals nothing.');
  reportFailures(output, failed);
}

/** Lists the memories that are not in the file. Throws `ExitError` if there are any. */
export function reportFailures(output: Output, failed: ExportProgress['failed']): void {
  if (failed.length === 0) return;
  output.line(`${failed.length} not in it:`);
  printFailures(
    output,
    failed.map(({ id, reason }) => ({ name: id, reason })),
  );
  throw new ExitError(
    exitCodes.failed,
    `${counted(failed.length, 'memory', 'memories')} could not be exported.`,
    {
      code: 'not_exported',
    },
  );
}
