import { envelopeKind } from '@memrelay/envelope/header';
import type { RememberRequest } from '@memrelay/protocol/memories';
import type { Caller } from '../auth/caller.ts';
import { hasPermission, requirePermission } from '../auth/require-permission.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import type { StageTimes } from '../http/stage-times.ts';
import { insertJobs, type NewJob } from '../jobs/accept-jobs.ts';
import type { RepeatableWrite } from '../jobs/idempotency.ts';
import { textHash } from '../jobs/known-texts.ts';
import { sealJob, standardImportance } from './seal-job.ts';

/** The idempotency key of a request with what it covers, when the caller sent one. */
export type RepeatKey = Pick<RepeatableWrite, 'route' | 'key' | 'bodySha256'>;

/**
 * Accepts texts as memory jobs: each is sealed into its final envelope and stands in the database before this
 * returns the job ids, in the order of the items (design.md, "A memory's life", 1).
 */
export async function remember(
  context: RelayerContext,
  caller: Caller,
  items: readonly RememberRequest[],
  repeatKey: RepeatKey | undefined,
  stages: StageTimes,
): Promise<string[]> {
  const tags = new Map(
    [...new Set(items.map((item) => item.namespace))].map((namespace) => {
      const tag = context.tagOf(caller.account.origin, namespace);
      requirePermission(caller, 'write', tag);
      return [namespace, tag] as const;
    }),
  );
  context.requireEmbedder();
  const accountId = hexToBytes(caller.account.accountId);
  await context.backlog.admit(accountId, items.length);
  const account = await context.expiredDelegates.pruned(caller.account);
  const keys = await stages.measure('keys', async () => {
    const entries = [...tags].map(
      async ([namespace, tag]) => [namespace, await context.namespaceKeys.current(account, tag)] as const,
    );
    return new Map(await Promise.all(entries));
  });
  // A key that could not read the kept memory must not learn that it is there, by its blob or by the time it takes, nor
  // lose what it stores to one that it cannot read
  const hashOf = ({ text, namespace }: RememberRequest): Buffer | undefined => {
    const tag = tags.get(namespace)!;
    const readsAll = hasPermission(caller, 'read', tag, { keyEpoch: 0 });
    return readsAll ? textHash(context.secrets.indexKey, accountId, tag, text) : undefined;
  };
  const seal = (item: RememberRequest): NewJob => {
    const { namespace, text } = item;
    const job = sealJob(context, caller, {
      kind: envelopeKind.memory,
      account,
      namespace,
      keyEpoch: account.keyEpoch,
      key: keys.get(namespace)!,
      meta: { importance: standardImportance },
      text,
    });
    const outbox = context.outbox.seal({ id: job.id, accountId, namespace }, text);
    return { ...job, outbox, textHash: hashOf(item) };
  };
  const jobs = await stages.measure('seal', () => items.map(seal));
  const jobIds = jobs.map((job) => job.id);
  const write = repeatKey && { accountId, delegatePk: Buffer.from(caller.publicKey, 'hex'), ...repeatKey };
  const keyRow = write && context.idempotency.rowFor(write, jobIds);
  const isNew = await stages.measure('commit', () => insertJobs(context.db, jobs, 'queued', keyRow));
  if (!isNew) return context.idempotency.earlierAnswer(write!);
  context.pipeline.wakeEmbedding();
  return jobIds;
}
