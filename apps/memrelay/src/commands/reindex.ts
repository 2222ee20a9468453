import type { Reindexed } from '@memrelay/sdk/reindex';
import type { ConnectOptions, NamespaceOption } from '../client/connect.ts';
import { runResumable } from '../client/resumable.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { printFailures } from '../terminal/failure-list.ts';
import type { Output } from '../terminal/output.ts';
import { counted, plainText } from '../terminal/plain-text.ts';

/** Long enough to continue after a restart of the relayer or an outage of the provider. */
const patience = { retryForMs: 5 * 60_000, timeoutMs: 60_000 };

/** Re-embeds memories whose vectors are of an earlier embedding model, in one namespace or in all. */
export async function reindex(output: Output, options: ConnectOptions & NamespaceOption): Promise<void> {
  await runResumable(output, { connect: options, ...patience }, async ({ client, signal }) => {
    const done: Reindexed[] = [];
    output.step('Re-embedding memories');
    const namespaces = options.namespace
      ? [options.namespace]
      : (await client.namespaces({ signal })).map(({ namespace }) => namespace);
    for (const namespace of namespaces) {
      const onProgress = (now: Reindexed): void => output.progress(() => progressText(now));
      done.push(await client.reindex({ namespace, signal, onProgress }));
    }
    output.done();
    report(output, done);
  });
}

function progressText({ namespace, reindexed, staleCount }: Reindexed): string {
  return `${plainText(namespace)}: ${reindexed}/${reindexed + staleCount} memories`;
}

function report(output: Output, done: readonly Reindexed[]): void {
  const sum = (of: (each: Reindexed) => number): number => done.reduce((total, each) => total + of(each), 0);
  const reindexed = sum((each) => each.reindexed);
  const failed = done.flatMap((each) => each.failed);
  output.result({ reindexed, stale_count: sum((each) => each.staleCount), failed });
  output.line(`${counted(reindexed, 'memory was', 'memories were')} re-embedded.`);
  const own = failed.filter(({ reason }) => reason === 'client_encrypted');
  if (own.length > 0)
    output.line(
      `${counted(own.length, 'memory is', 'memories are')} encrypted by a client, which must store them again: the relayer cannot embed them.`,
    );
  const others = failed.filter(({ reason }) => reason !== 'client_encrypted');
  if (others.length === 0) return;
  output.line(`${counted(others.length, 'memory', 'memories')} could not be re-embedded:`);
  printFailures(
    output,
    others.map(({ id, reason }) => ({ name: id, reason })),
  );
  throw new ExitError(
    exitCodes.failed,
    `${counted(others.length, 'memory was', 'memories were')} left out. Run the same command again to try them.`,
    { code: 'not_reindexed' },
  );
}
