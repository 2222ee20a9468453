import { setTimeout } from 'node:timers/promises';
import type { ReindexRequest, ReindexResponse } from '@memrelay/protocol/reindex';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { requireFreshAccount, requirePermission } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { Embedder } from '../../index/embedding/embedder.ts';
import { countStale } from '../rows/stale-rows.ts';
import { type ReindexLease, takeLease } from './lease.ts';
import { firstId, type ReindexStepParts, reindexStep } from './reindex-namespace.ts';

/** Time limit of one call, so that it ends before its caller gives up; the next one continues at its `next_cursor`. */
const callMs = 15_000;
const leasePollMs = 200;
const reportedFailures = 100;

export interface ReindexParts extends ReindexStepParts {
  embedder: Pick<Embedder, 'model'>;
  namespaceSizes: { forget(accountId: Buffer, namespace: string, model: string): void };
  /** Throws `llm_not_configured` if texts cannot be embedded */
  requireEmbedder(): void;
}

/**
 * Re-embeds memories of a namespace whose vectors are of another model than the current one. Each call does part of the
 * work and returns `next_cursor` while there is more. If another relayer is re-embedding the namespace, it waits.
 * Throws `ApiError`.
 */
export async function reindex(
  parts: ReindexParts,
  caller: Caller,
  { namespace, cursor = firstId }: ReindexRequest,
): Promise<ReindexResponse> {
  requirePermission(caller, 'read', parts.tagOf(caller.account.origin, namespace));
  requireFreshAccount(caller);
  requireDecryptCredential(parts, caller);
  parts.requireEmbedder();
  const { model } = parts.embedder;
  const accountId = hexToBytes(caller.account.accountId);
  const place = { accountId, namespace, model };
  const deadline = performance.now() + callMs;
  const failed: ReindexResponse['failed'] = [];
  let reindexed = 0;
  let after: string | undefined = cursor;
  const lease = await leaseBefore(parts, accountId, namespace, deadline);
  if (lease) {
    try {
      while (after !== undefined && performance.now() < deadline) {
        const options = { after, exceptTried: false, leaseToken: lease.token };
        const step = await reindexStep(parts, caller, place, options);
        if (!step) break;
        reindexed += step.reindexed;
        failed.push(...step.failed);
        ({ after } = step);
      }
    } finally {
      await lease.release();
      parts.namespaceSizes.forget(accountId, namespace, model);
    }
  }
  return {
    reindexed,
    stale_count: await countStale(parts.db, accountId, [namespace], model),
    namespace,
    owner: caller.account.owner,
    ...(failed.length > 0 ? { failed: failed.slice(0, reportedFailures) } : {}),
    ...(after === undefined ? {} : { next_cursor: after }),
  };
}

async function leaseBefore(
  { db }: Pick<ReindexParts, 'db'>,
  accountId: Buffer,
  namespace: string,
  deadline: number,
): Promise<ReindexLease | undefined> {
  for (;;) {
    const lease = await takeLease(db, accountId, namespace);
    if (lease || performance.now() > deadline) return lease;
    await setTimeout(leasePollMs);
  }
}
