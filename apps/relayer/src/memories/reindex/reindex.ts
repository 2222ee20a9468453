import { setTimeout } from 'node:timers/promises';
import type { ReindexRequest, ReindexResponse } from '@memrelay/protocol/reindex';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { requireFreshAccount, requirePermission } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';
import { type ReindexLease, takeLease } from './lease.ts';
import { firstId, reindexStep } from './reindex-namespace.ts';
import { countStale } from './stale-rows.ts';

/** Of one call, so that it ends before its caller gives up; the next one goes on at its `next_cursor`. */
const callMs = 15_000;
const leasePollMs = 200;
const failuresTold = 100;

/**
 * Embeds memories of a namespace anew whose vectors are of another model than that of today. Each call goes some way;
 * `next_cursor` is there while there is more. Where others are at it, it waits for them. Throws `ApiError`.
 */
export async function reindex(
  context: RelayerContext,
  caller: Caller,
  { namespace, cursor = firstId }: ReindexRequest,
): Promise<ReindexResponse> {
  requirePermission(caller, 'read', context.tagOf(caller.account.origin, namespace));
  requireFreshAccount(caller);
  requireDecryptCredential(context, caller);
  context.requireEmbedder();
  const { model } = context.embedder;
  const accountId = hexToBytes(caller.account.accountId);
  const place = { accountId, namespace, model };
  const deadline = performance.now() + callMs;
  const failed: ReindexResponse['failed'] = [];
  let reindexed = 0;
  let after: string | undefined = cursor;
  const lease = await leaseBefore(context, accountId, namespace, deadline);
  if (lease) {
    try {
      while (after !== undefined && performance.now() < deadline) {
        const options = { after, exceptTried: false, leaseToken: lease.token };
        const step = await reindexStep(context, caller, place, options);
        if (!step) break;
        reindexed += step.reindexed;
        failed.push(...step.failed);
        ({ after } = step);
      }
    } finally {
      await lease.release();
      context.namespaceSizes.forget(accountId, namespace, model);
    }
  }
  return {
    reindexed,
    stale_count: await countStale(context.db, accountId, [namespace], model),
    namespace,
    owner: caller.account.owner,
    ...(failed.length > 0 ? { failed: failed.slice(0, failuresTold) } : {}),
    ...(after === undefined ? {} : { next_cursor: after }),
  };
}

async function leaseBefore(
  { db }: RelayerContext,
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
