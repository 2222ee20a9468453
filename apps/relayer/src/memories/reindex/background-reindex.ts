import { setTimeout } from 'node:timers/promises';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import type { Caller } from '../../accounts/caller.ts';
import { hasPermission, isExpired } from '../../accounts/require-permission.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';
import { type BackgroundRuns, createBackgroundRuns } from './background-runs.ts';
import { clearReindexLeases, takeLease } from './lease.ts';
import { firstId, reindexStep } from './reindex-namespace.ts';
import { sessionEndMs } from './session-end.ts';

/** Namespaces at once in a relayer; others begin with a later request. */
const atOnce = 2;
/** How long one run lasts at most; the next request begins another. */
const runMs = 10 * 60_000;
const restMs = 30_000;

/** What `beginReindex` runs in, once for a relayer. */
export async function startReindexing(db: Db): Promise<BackgroundRuns> {
  await clearReindexLeases(db);
  return createBackgroundRuns({ atOnce, restMs });
}

/** Has a namespace embedded anew behind a request that found stale memories, while its session lasts. Returns at once. */
export function beginReindex(context: RelayerContext, caller: Caller, namespace: string): void {
  const endMs = sessionEndMs(caller, context.serverAddress);
  if (endMs === undefined) return;
  const untilMs = Math.min(endMs, Date.now() + runMs);
  const account_id = caller.account.accountId;
  context.reindexing.begin(`${account_id}/${namespace}`, (stopping) =>
    runThrough(context, caller, namespace, untilMs, stopping).catch((err: unknown) => {
      context.loggers.memories.warn(
        { err, account_id },
        'memories were not embedded anew; a later recall tries',
      );
    }),
  );
}

/** One pass through the namespace, at half of the speed that it could have: what is new goes first. */
async function runThrough(
  context: RelayerContext,
  caller: Caller,
  namespace: string,
  untilMs: number,
  stopping: AbortSignal,
): Promise<void> {
  const place = {
    accountId: hexToBytes(caller.account.accountId),
    namespace,
    model: context.embedder.model,
  };
  const lease = await takeLease(context.db, place.accountId, namespace);
  if (!lease) return;
  let reindexed = 0;
  try {
    for (let after: string | undefined = firstId; after !== undefined; ) {
      const reader = await stillReading(
        context.accounts,
        caller,
        context.tagOf(caller.account.origin, namespace),
      );
      if (!reader || Date.now() > untilMs || stopping.aborted) break;
      const startedAt = performance.now();
      const step = await reindexStep(context, reader, place, {
        after,
        exceptTried: true,
        leaseToken: lease.token,
      });
      if (!step) break;
      ({ after } = step);
      reindexed += step.reindexed;
      const tookMs = performance.now() - startedAt;
      if (after !== undefined)
        await setTimeout(tookMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  } finally {
    await lease.release();
    context.namespaceSizes.forget(place.accountId, namespace, place.model);
    if (reindexed > 0)
      context.loggers.memories.info(
        { account_id: caller.account.accountId, reindexed },
        'memories were embedded anew',
      );
  }
}

/** The caller as the account says now; undefined when the key may not read there any more. */
async function stillReading(
  accounts: AccountDirectory,
  caller: Caller,
  tag: Uint8Array,
): Promise<Caller | undefined> {
  const account = await accounts.account(caller.account.accountId);
  const delegate = account?.delegates.find(({ publicKey }) => publicKey === caller.publicKey);
  if (!account?.active || account.stale || !delegate || isExpired(delegate, Date.now())) return undefined;
  const now = { ...caller, account, delegate };
  return hasPermission(now, 'read', tag) ? now : undefined;
}
