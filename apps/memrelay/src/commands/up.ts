import { turnOffCoreDumps } from '@memrelay/process/core-dumps';
import { DirectoryLockedError } from '@memrelay/process/dir-lock';
import { PartStartError } from '@memrelay/process/start-part';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { forgetChecks, recallAny, storeAndRecall } from '../client/self-check.ts';
import { PortTakenError, portsOf } from '../system/ports.ts';
import { type RunningSystem, startSystem } from '../system/start-system.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { catchInterruption, untilAborted } from '../terminal/interruption.ts';
import type { Output } from '../terminal/output.ts';
import { pairingLink } from './pair.ts';

/** Starts the local system and keeps it running until Ctrl-C. */
export async function up(output: Output, environment: NodeJS.ProcessEnv): Promise<void> {
  const directory = dataDir(environment);
  const coreDumps = turnOffCoreDumps();
  if (coreDumps !== undefined) output.line(`Warning: ${coreDumps}`);
  const started = Date.now();
  const gone = Promise.withResolvers<string>();
  const stopping = catchInterruption('Stopped before it was ready.');
  const system = await startSystem({
    dataDir: directory,
    ports: portsOf(environment),
    environment,
    onProgress: (step) => output.step(step),
    onOutput: (part, text) => output.partOutput(part, text),
    onGivenUp: gone.resolve,
    signal: stopping.signal,
  }).catch((error: unknown) => {
    throw startFailure(error);
  });
  try {
    output.step(
      system.created
        ? 'Storing and recalling a memory as a self-check'
        : 'Recalling a memory as a self-check',
    );
    await selfCheck(system, stopping.signal);
    output.done();
    announce(output, system, directory, Date.now() - started);
    const reason = await Promise.race([gone.promise, untilAborted(stopping.signal)]);
    output.step('Stopping');
    await system.stop();
    output.done();
    if (reason !== undefined) throw new ExitError(exitCodes.failed, reason);
    output.result({ event: 'stopped' });
    output.line('Stopped. Your memories are kept; the next start finds them again.');
  } finally {
    await system.stop();
  }
}

function startFailure(error: unknown): ExitError {
  if (error instanceof ExitError) return error;
  if (error instanceof PortTakenError)
    return new ExitError(exitCodes.usage, error.message, { code: 'port_taken' });
  if (error instanceof DirectoryLockedError)
    return new ExitError(exitCodes.usage, error.message, { code: 'data_directory_in_use' });
  if (error instanceof PartStartError)
    return new ExitError(exitCodes.failed, partFailure(error), { cause: error });
  return new ExitError(exitCodes.failed, (error as Error).message, { cause: error });
}

/** The part's last plain line: it says why; the rest has been printed as it came. */
function partFailure(error: PartStartError): string {
  const lines = error.stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'));
  return `${error.message.split('\n')[0]!.replace(/:$/, '')}${lines.length > 0 ? `: ${lines.at(-1)!.trim()}` : ''}`;
}

/**
 * Where the account or its key is new, stores, recalls and forgets a memory; later it reads one that is there. Neither
 * leaves a namespace behind.
 */
async function selfCheck(system: RunningSystem, signal: AbortSignal): Promise<void> {
  const client = MemRelay.fromCredentials(system.credentials);
  try {
    if (!system.created && (await recallAny(client, { signal })) !== 'unreadable')
      await forgetChecks(client, { signal });
    else if ((await storeAndRecall(client, { signal })) === 'not_found')
      throw new ExitError(exitCodes.failed, 'The self-check memory was stored but not found again.');
  } finally {
    client.destroy();
  }
}

function announce(output: Output, system: RunningSystem, directory: string, ms: number): void {
  const { urls } = system;
  const { link, expiresAt } = pairingLink(system.dashboard);
  if (output.json) {
    output.result({
      event: 'ready',
      urls,
      pairing_link: link,
      pairing_link_expires_at: expiresAt.toISOString(),
      credentials_path: system.credentialsPath,
      account_id: system.credentials.accountId,
      data_dir: directory,
      start_ms: ms,
    });
    return;
  }
  const { paint } = output;
  const told = system.created ? ' A memory was stored, encrypted, and recalled.' : '';
  output.line(`${paint('bold', 'memrelay is ready')} (${(ms / 1000).toFixed(1)} s).${told}

  Relayer      ${paint('cyan', urls.relayer)}
  Dashboard    ${paint('cyan', urls.dashboard)}
  Blob store   ${paint('cyan', urls.blobstore)}
  Chain        ${paint('cyan', urls.localnet)}
  Credentials  ${system.credentialsPath}
  Data         ${directory}

Open your dashboard (this link works once, within ten minutes; \`npx memrelay pair\` prints another):
  ${paint('cyan', link)}

All keys are on this machine, in the data directory: fine for a laptop, see docs/security.md for production.

Try next, in another terminal:
  npx memrelay remember "Ana likes her tea with lemon"
  npx memrelay recall "what does Ana drink?"
  npx memrelay doctor
  npx memrelay mcp install claude-code    (or another agent: docs/tools.md)

Ctrl-C stops it.`);
}
