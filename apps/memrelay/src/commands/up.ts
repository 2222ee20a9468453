import { turnOffCoreDumps } from '@memrelay/process/core-dumps';
import { DirectoryLockedError } from '@memrelay/process/dir-lock';
import { PartStartError } from '@memrelay/process/start-part';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { forgetChecks, recallAny, storeAndRecall } from '../client/self-check.ts';
import { PortTakenError, portsOf, readPorts, rememberPorts } from '../system/ports.ts';
import { type RunningSystem, startSystem } from '../system/start-system.ts';
import { systemPaths } from '../system/system-paths.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { explain } from '../terminal/explain-error.ts';
import { catchInterruption, untilAborted } from '../terminal/interruption.ts';
import type { Output } from '../terminal/output.ts';
import { announceReady, announceRunning } from './system-links.ts';
import { localModelVariables, offerLocalModel, terminalAsk } from './up-model.ts';

/** Starts the local system and keeps it running until Ctrl-C. */
export async function up(output: Output, environment: NodeJS.ProcessEnv): Promise<void> {
  const directory = dataDir(environment);
  const coreDumps = turnOffCoreDumps();
  if (coreDumps !== undefined) output.line(`Warning: ${coreDumps}`);
  const gone = Promise.withResolvers<string>();
  const started = Date.now();
  const model = await localModelVariables(environment);
  const stopping = catchInterruption('Stopped before it was ready.');
  const portsFile = systemPaths(directory).ports;
  const ports = portsOf(environment, await readPorts(portsFile));
  const system = await startSystem({
    dataDir: directory,
    ports,
    environment: { ...environment, ...model },
    onProgress: (step) => output.step(step),
    onOutput: (part, text) => output.partOutput(part, text),
    onGivenUp: gone.resolve,
    signal: stopping.signal,
  }).catch(async (error: unknown) => {
    if (error instanceof DirectoryLockedError && (await announceRunning(output, directory))) return undefined;
    throw startFailure(error);
  });
  if (!system) return stopping.release();
  try {
    await rememberPorts(portsFile, ports);
    if (system.active) {
      output.step(
        system.created
          ? 'Storing and recalling a memory as a self-check'
          : 'Recalling a memory as a self-check',
      );
      await selfCheck(system, stopping.signal);
      output.done();
    }
    announceReady(output, system, { directory, model: model.EMBEDDING_MODEL, ms: Date.now() - started });
    void offerLocalModel(output, {
      dataDir: directory,
      environment,
      ask: terminalAsk(output),
      signal: stopping.signal,
    });
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
  return explain(error) ?? new ExitError(exitCodes.failed, (error as Error).message, { cause: error });
}

/** The part's last plain line, which gives the reason. The rest of its output was already printed. */
function partFailure(error: PartStartError): string {
  const lines = error.stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'));
  return `${error.message.split('\n')[0]!.replace(/:$/, '')}${lines.length > 0 ? `: ${lines.at(-1)!.trim()}` : ''}`;
}

/**
 * If the account or its key is new, stores, recalls and forgets a memory; otherwise reads an existing one. Neither
 * leaves a namespace behind.
 */
async function selfCheck(system: RunningSystem, signal: AbortSignal): Promise<void> {
  const client = MemRelay.fromCredentials(system.credentials);
  try {
    const stats = system.created ? undefined : await client.stats({ signal });
    if (stats && (await recallAny(client, stats, { signal })) !== 'unreadable')
      await forgetChecks(client, stats, { signal });
    else if ((await storeAndRecall(client, { signal })) === 'not_found')
      throw new ExitError(exitCodes.failed, 'The self-check memory was stored but not found again.');
  } finally {
    client.destroy();
  }
}
