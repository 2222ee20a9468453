import { setTimeout } from 'node:timers/promises';
import type { EncSession } from '@memrelay/protocol/enc-session';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import type { Caller } from '../../accounts/caller.ts';
import { hasPermission, isExpired } from '../../accounts/require-permission.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { Embedder } from '../../index/embedding/embedder.ts';
import { clearReindexLeases } from '../rows/lease-rows.ts';
import { type BackgroundRuns, createBackgroundRuns } from './background-runs.ts';
import { takeLease } from './lease.ts';
import { firstId, type ReindexStepParts, reindexStep } from './reindex-namespace.ts';

/** Maximum concurrent namespaces per relayer. Others start with a later request. */
const atOnce = 2;
/** Maximum duration of one run; the next request starts another. */
const runMs = 10 * 60_000;
const restMs = 30_000;
/** Time limit with the server key, which has no session */
const serverKeyMs = 5 * 60_000;

export interface BackgroundReindexParts extends ReindexStepParts {
  accounts: Pick<AccountDirectory, 'account'>;
  embedder: Pick<Embedder, 'model'>;
  namespaceSizes: { forget(accountId: Buffer, namespace: string, model: string): void };
  reindexing: Pick<BackgroundRuns, 'begin'>;
}

/** Creates the runner of `beginReindex`, once per relayer. */
export async function startReindexing(db: Db): Promise<BackgroundRuns> {
  await clearReindexLeases(db);
  return createBackgroundRuns({ atOnce, restMs });
}

/**
 * Re-embeds a namespace in the background after a request found stale memories, for as long as its session lasts.
 * Returns at once.
 */
export function beginReindex(parts: BackgroundReindexParts, caller: Caller, namespace: string): void {
  const endMs = sessionEndMs(caller, parts.serverAddress);
  if (endMs === undefined) return;
  const untilMs = Math.min(endMs, Date.now() + runMs);
  const account_id = caller.account.accountId;
  parts.reindexing.begin(`${account_id}/${namespace}`, (stopping) =>
    runThrough(parts, caller, namespace, untilMs, stopping).catch((err: unknown) => {
      parts.loggers.memories.warn({ err, account_id }, 're-embedding failed; a later recall will retry');
    }),
  );
}

/** One pass through the namespace. Pauses as long as each step took, so that new memories are not delayed. */
async function runThrough(
  parts: BackgroundReindexParts,
  caller: Caller,
  namespace: string,
  untilMs: number,
  stopping: AbortSignal,
): Promise<void> {
  const place = {
    accountId: hexToBytes(caller.account.accountId),
    namespace,
    model: parts.embedder.model,
  };
  const lease = await takeLease(parts.db, place.accountId, namespace);
  if (!lease) return;
  let reindexed = 0;
  try {
    for (let after: string | undefined = firstId; after !== undefined; ) {
      const reader = await stillReading(
        parts.accounts,
        caller,
        parts.tagOf(caller.account.origin, namespace),
      );
      if (!reader || Date.now() > untilMs || stopping.aborted) break;
      const startedAt = performance.now();
      const step = await reindexStep(parts, reader, place, {
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
    parts.namespaceSizes.forget(place.accountId, namespace, place.model);
    if (reindexed > 0)
      parts.loggers.memories.info(
        { account_id: caller.account.accountId, reindexed },
        'memories re-embedded',
      );
  }
}

/** The caller with the current state of the account; undefined if the key may no longer read there. */
async function stillReading(
  accounts: BackgroundReindexParts['accounts'],
  caller: Caller,
  tag: Uint8Array,
): Promise<Caller | undefined> {
  const account = await accounts.account(caller.account.accountId);
  const delegate = account?.delegates.find(({ publicKey }) => publicKey === caller.publicKey);
  if (!account?.active || account.stale || !delegate || isExpired(delegate, Date.now())) return undefined;
  const now = { ...caller, account, delegate };
  return hasPermission(now, 'read', tag) ? now : undefined;
}

/**
 * When the request's credential must no longer be used for background work, in Unix ms; undefined if it must not be used
 * at all. A session is valid until it ends, but the deprecated delegate key is sent for one request only.
 */
function sessionEndMs(caller: Caller, serverAddress: string | undefined): number | undefined {
  const { encSession, delegateKey } = caller.credentials;
  if (encSession !== undefined) return endMsOf(encSession);
  if (delegateKey !== undefined) return undefined;
  const isDelegate = caller.account.delegates.some(({ address }) => address === serverAddress);
  return isDelegate ? Date.now() + serverKeyMs : undefined;
}

/** When the session ends, in Unix ms. The sidecar checks whether the session is valid. */
function endMsOf(header: string): number | undefined {
  try {
    const session = JSON.parse(Buffer.from(header, 'base64').toString()) as Partial<EncSession>;
    const end = Number(session.creationTimeMs) + Number(session.ttlMin) * 60_000;
    return Number.isFinite(end) ? end : undefined;
  } catch {
    return undefined;
  }
}
