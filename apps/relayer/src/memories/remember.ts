import { createHash, randomUUID } from 'node:crypto';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { envelopeKind } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import type { RememberRequest } from '@memrelay/protocol/memories';
import type { Caller } from '../auth/caller.ts';
import { hasPermission, requirePermission } from '../auth/require-permission.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import type { StageTimes } from '../http/stage-times.ts';
import { insertJobs, type NewJob } from '../jobs/accept-jobs.ts';
import type { RepeatableWrite } from '../jobs/idempotency.ts';
import { textHash } from '../jobs/known-texts.ts';

/** Of a memory nobody has weighed */
export const standardImportance = 0.5;

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
  const account = await context.expiredDelegates.pruned(caller.account);
  const keys = await stages.measure('keys', async () => {
    const entries = [...tags].map(
      async ([namespace, tag]) => [namespace, await context.namespaceKeys.current(account, tag)] as const,
    );
    return new Map(await Promise.all(entries));
  });
  const accountId = hexToBytes(account.accountId);
  // A key that could not read the kept memory must not learn that it is there, by its blob or by the time it takes, nor
  // lose what it stores to one that it cannot read
  const hashOf = ({ text, namespace }: RememberRequest): Buffer | undefined => {
    const tag = tags.get(namespace)!;
    const readsAll = hasPermission(caller, 'read', tag, { keyEpoch: 0 });
    return readsAll ? textHash(context.secrets.indexKey, accountId, tag, text) : undefined;
  };
  const seal = (item: RememberRequest): NewJob => {
    const id = randomUUID();
    const key = keys.get(item.namespace)!;
    const envelopeId = newEnvelopeId(nodePrimitives);
    const envelope = Buffer.from(
      sealEnvelope(nodePrimitives, {
        kind: envelopeKind.memory,
        origin: hexToBytes(account.origin),
        namespace: item.namespace,
        keyEpoch: BigInt(account.keyEpoch),
        envelopeId,
        recipientPk: key.recipientPk,
        wraps: key.wraps,
        meta: { created_at: new Date().toISOString(), importance: standardImportance, by: caller.publicKey },
        text: item.text,
        signer: context.secrets.writerKeys[0]!,
      }),
    );
    return {
      id,
      accountId,
      owner: account.owner,
      namespace: item.namespace,
      delegatePk: Buffer.from(caller.publicKey, 'hex'),
      outbox: context.outbox.seal({ id, accountId, namespace: item.namespace }, item.text),
      envelope,
      envelopeId: Buffer.from(envelopeId),
      envelopeSha256: sha256(envelope),
      importance: standardImportance,
      textHash: hashOf(item),
    };
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

export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
