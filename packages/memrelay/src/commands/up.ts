import { DirectoryLockedError } from '@memrelay/protocol/dir-lock';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { ExitError, exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { PortTakenError, portsOf } from '../system/ports.ts';
import { type RunningSystem, startSystem } from '../system/start-system.ts';

/** Kept apart from the person's own memories. */
const checkNamespace = 'memrelay-self-check';
const checkText = 'The memrelay self-check stores this sentence once and recalls it at every start.';

/** Starts the local system and keeps it running until Ctrl-C. */
export async function up(output: Output, environment: NodeJS.ProcessEnv): Promise<void> {
  const directory = dataDir(environment);
  const started = Date.now();
  const gone = Promise.withResolvers<string>();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stopSignal = new Promise<undefined>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve(undefined));
  });
  const starting = startSystem({
    dataDir: directory,
    ports: portsOf(environment),
    environment,
    onProgress: (step) => output.step(step),
    onOutput: (part, text) => output.partOutput(part, text),
    onGivenUp: gone.resolve,
  });
  const system = await starting.catch((error: unknown) => {
    throw startFailure(error);
  });
  try {
    output.step('Storing and recalling a memory as a self-check');
    await selfCheck(system);
    output.done();
    announce(output, system, directory, Date.now() - started);
    const reason = await Promise.race([gone.promise, stopSignal]);
    output.step('Stopping');
    await system.stop();
    output.done();
    if (reason !== undefined) throw new ExitError(exitCodes.failed, reason);
    output.line('Stopped. Your memories are kept; `npm start` finds them again.');
  } catch (error) {
    await system.stop();
    throw error;
  }
}

function startFailure(error: unknown): ExitError {
  if (error instanceof PortTakenError || error instanceof DirectoryLockedError)
    return new ExitError(exitCodes.usage, error.message);
  return new ExitError(exitCodes.failed, (error as Error).message, { cause: error });
}

/** Stores the sentence on the first start and finds it at every one: accept, seal, upload, recall, decrypt. */
async function selfCheck(system: RunningSystem): Promise<void> {
  const client = MemRelay.fromCredentials(system.credentials, { namespace: checkNamespace });
  const find = async (): Promise<boolean> => {
    const { results } = await client.recall('What does the self-check store?', { limit: 1 });
    return results[0]?.text === checkText;
  };
  try {
    if (system.created || !(await find())) await client.rememberAndWait(checkText, { timeoutMs: 30_000 });
    if (!(await find()))
      throw new ExitError(exitCodes.failed, 'the self-check memory was stored but not found again');
  } finally {
    client.destroy();
  }
}

function announce(output: Output, system: RunningSystem, directory: string, ms: number): void {
  const { urls } = system;
  if (output.json) {
    output.result({
      event: 'ready',
      urls,
      credentialsPath: system.credentialsPath,
      accountId: system.credentials.accountId,
      dataDir: directory,
      startMs: ms,
    });
    return;
  }
  output.line(`memrelay is ready (${(ms / 1000).toFixed(1)} s). A memory was stored, encrypted, and recalled.

  Relayer      ${urls.relayer}
  Blob store   ${urls.blobstore}
  Chain        ${urls.localnet}
  Credentials  ${system.credentialsPath}
  Data         ${directory}

All keys are on this machine, in the data directory: fine for a laptop, see docs/security.md for production.

Try next, in another terminal:
  npx memrelay remember "Ana likes her tea with lemon"
  npx memrelay recall "what does Ana drink?"
  npx memrelay doctor

Ctrl-C stops it.`);
}
