import type { Reindexed } from '@memrelay/sdk/reindex';
import { type ConnectOptions, connectClient, type NamespaceOption } from '../connect.ts';
import { ExitError, exitCodes } from '../exit-codes.ts';
import { catchInterruption } from '../interruption.ts';
import type { Output } from '../output.ts';
import { counted, plainText } from '../plain-text.ts';

/** It rides out a restart of the relayer, and a provider that is away for a while. */
const patience = { maxAttempts: 15, deadlineMs: 5 * 60_000, timeoutMs: 60_000 };
const failuresShown = 20;

/** Embeds anew what a change of the relayer's embedding model has left behind, in one namespace or in all. */
export async function reindex(output: Output, options: ConnectOptions & NamespaceOption): Promise<void> {
  const { client } = await connectClient(options, patience);
  const interruption = catchInterruption('Interrupted. Run the same command again to go on.');
  const { signal } = interruption;
  const done: Reindexed[] = [];
  try {
    output.step('Embedding memories anew');
    const namespaces = options.namespace
      ? [options.namespace]
      : (await client.namespaces({ signal })).map(({ namespace }) => namespace);
    for (const namespace of namespaces) {
      const onProgress = (now: Reindexed): void => output.progress(() => progressText(now));
      done.push(await client.reindex({ namespace, signal, onProgress }));
    }
    output.done();
    report(output, done);
  } catch (error) {
    output.abandon();
    throw error;
  } finally {
    interruption.release();
    client.destroy();
  }
}

function progressText({ namespace, reindexed, staleCount }: Reindexed): string {
  return `${plainText(namespace)}: ${reindexed}/${reindexed + staleCount} memories`;
}

function report(output: Output, done: readonly Reindexed[]): void {
  const sum = (of: (each: Reindexed) => number): number => done.reduce((total, each) => total + of(each), 0);
  const reindexed = sum((each) => each.reindexed);
  const failed = done.flatMap((each) => each.failed);
  output.result({ reindexed, stale_count: sum((each) => each.staleCount), failed });
  output.line(`${counted(reindexed, 'memory was', 'memories were')} embedded anew.`);
  const own = failed.filter(({ reason }) => reason === 'client_encrypted');
  if (own.length > 0)
    output.line(
      `${counted(own.length, 'memory is', 'memories are')} encrypted by a client, which alone can embed them: it has to store them again.`,
    );
  const others = failed.filter(({ reason }) => reason !== 'client_encrypted');
  if (others.length === 0) return;
  output.line(`${counted(others.length, 'memory', 'memories')} could not be embedded anew:`);
  for (const { id, reason } of others.slice(0, failuresShown)) output.line(`  ${id}: ${reason}`);
  throw new ExitError(
    exitCodes.failed,
    `${counted(others.length, 'memory was', 'memories were')} left out. Run the same command again to try them.`,
    { code: 'not_reindexed' },
  );
}
