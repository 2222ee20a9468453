import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import type { Caller } from '../auth/caller.ts';
import { hasPermission, isExpired } from '../auth/require-permission.ts';
import type { RelayerContext } from '../context.ts';
import type { Db } from '../db/db.ts';
import { hexToBytes } from '../db/hex.ts';
import { clearReindexLeases, takeLease } from './lease.ts';
import { firstId, reindexStep } from './reindex-namespace.ts';
import { sessionEndMs } from './session-end.ts';

/** Embeds anew behind the requests that find stale memories, while their sessions last. */
export interface BackgroundReindex {
  /** Begins, unless it is under way or was a moment ago. Returns at once. */
  begin(context: RelayerContext, caller: Caller, namespace: string): void;
  /** Ends what is under way after its present step */
  close(): Promise<void>;
}

/** Namespaces at once in this relayer; others begin with a later request. */
const runsAtOnce = 2;
/** How long one run lasts at most; the next request begins another. */
const runMs = 10 * 60_000;
/** After a run, before the next one of the same namespace. */
const restMs = 30_000;

export async function startReindexing(db: Db): Promise<BackgroundReindex> {
  await clearReindexLeases(db);
  const underWay = new Map<string, Promise<void>>();
  const rested = new LRUCache<string, true>({ max: 10_000, ttl: restMs });
  const stopping = new AbortController();

  return {
    begin(context, caller, namespace) {
      const name = `${caller.account.accountId}/${namespace}`;
      const endMs = sessionEndMs(caller, context.serverAddress);
      if (endMs === undefined || stopping.signal.aborted || underWay.size >= runsAtOnce) return;
      if (underWay.has(name) || rested.has(name)) return;
      rested.set(name, true);
      const until = Math.min(endMs, Date.now() + runMs);
      const run = runThrough(context, caller, namespace, until, stopping.signal)
        .catch((err: unknown) => {
          const account_id = caller.account.accountId;
          context.loggers.memories.warn(
            { err, account_id },
            'memories were not embedded anew; a later recall tries',
          );
        })
        .finally(() => {
          underWay.delete(name);
          rested.set(name, true);
        });
      underWay.set(name, run);
    },
    async close() {
      stopping.abort();
      await Promise.all(underWay.values());
    },
  };
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
