import { envelopeKind } from '@memrelay/envelope/header';
import { type ContextFields, contextIn } from '@memrelay/protocol/context-fields';
import type { Caller } from '../../accounts/caller.ts';
import type { ExpiredDelegates } from '../../accounts/expired-delegates.ts';
import { hasPermission, requirePermission } from '../../accounts/require-permission.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import { contextTokens } from '../../index/context-tokens.ts';
import type { Pipeline } from '../../jobs/pipeline.ts';
import type { Backlog } from '../../jobs/queue/backlog.ts';
import type { Idempotency } from '../../jobs/queue/idempotency.ts';
import type { Outbox } from '../../jobs/queue/outbox.ts';
import type { RepeatKey } from '../../jobs/queue/repeat-key.ts';
import type { SingleWrites } from '../../jobs/queue/single-writes.ts';
import type { StorageBudget } from '../../jobs/queue/storage-budget.ts';
import { insertJobs, insertKey, type NewJob } from '../../jobs/rows/accept-jobs.ts';
import { textHash } from '../../jobs/rows/known-texts.ts';
import { insertSuccessors } from '../../jobs/rows/successors.ts';
import type { NamespaceKeys } from '../../keys/namespace-keys.ts';
import { sealJob, standardImportance } from '../../keys/seal-job.ts';
import type { NamespaceTags } from '../reading/scope-namespaces.ts';

/** A text to store as a memory. */
export interface NewMemory extends ContextFields {
  text: string;
  namespace: string;
  importance?: number;
  /** RFC 3339 */
  occurredAt?: string | undefined;
  /** Envelope ids of the memories that it replaces */
  supersedes?: readonly Buffer[];
}

export interface AcceptParts extends NamespaceTags {
  db: Db;
  backlog: Backlog;
  expiredDelegates: ExpiredDelegates;
  idempotency: Pick<Idempotency, 'rowFor' | 'earlierAnswer'>;
  namespaceKeys: Pick<NamespaceKeys, 'current'>;
  outbox: Pick<Outbox, 'seal'>;
  pipeline: Pick<Pipeline, 'wakeEmbedding'>;
  secrets: Secrets;
  singleWrites: SingleWrites;
  /** Throws `llm_not_configured` if texts cannot be embedded */
  requireEmbedder(): void;
  storageBudget: StorageBudget;
}

/**
 * Accepts texts as memory jobs. Each is sealed into its final envelope and is in the database, in one commit with the
 * idempotency key, before this returns (design.md, "A memory's life", 1). `answerOf` makes the answer from the job ids,
 * which are in the order of the texts. If the key was used before, the earlier answer is returned.
 */
export async function acceptMemories<Answer>(
  parts: AcceptParts,
  caller: Caller,
  memories: readonly NewMemory[],
  {
    repeatKey,
    stages,
    answerOf,
  }: { repeatKey: RepeatKey | undefined; stages: StageTimes; answerOf: (jobIds: string[]) => Answer },
): Promise<Answer> {
  const tags = new Map(
    [...new Set(memories.map(({ namespace }) => namespace))].map((namespace) => {
      const tag = parts.tagOf(caller.account.origin, namespace);
      requirePermission(caller, 'write', tag);
      return [namespace, tag] as const;
    }),
  );
  parts.requireEmbedder();
  const accountId = hexToBytes(caller.account.accountId);
  await parts.backlog.admit(accountId, memories.length);
  const account = await parts.expiredDelegates.pruned(caller.account);
  const keys = await stages.measure('keys', async () => {
    const entries = [...tags].map(
      async ([namespace, tag]) => [namespace, await parts.namespaceKeys.current(account, tag)] as const,
    );
    return new Map(await Promise.all(entries));
  });
  // No deduplication against memories that the caller cannot read: the blob id or the timing would reveal that they exist
  const hashOf = ({ text, namespace, expires_at: expiresAt }: NewMemory): Buffer | undefined => {
    // A text that stays must not rely on a memory that will be gone
    if (expiresAt !== undefined) return undefined;
    const tag = tags.get(namespace)!;
    const readsAll = hasPermission(caller, 'read', tag, { keyEpoch: 0 });
    return readsAll ? textHash(parts.secrets.indexKey, accountId, tag, text) : undefined;
  };
  const acceptedAt = Date.now();
  const seal = (memory: NewMemory, i: number): NewJob => {
    const { namespace, text, importance = standardImportance, occurredAt, supersedes = [] } = memory;
    const context = contextIn(memory);
    const job = sealJob(parts, caller, {
      kind: envelopeKind.memory,
      account,
      namespace,
      keyEpoch: account.keyEpoch,
      key: keys.get(namespace)!,
      meta: {
        // A millisecond apart, to keep their order: recall uses the memories stored right before and after a match
        created_at: new Date(acceptedAt - (memories.length - 1 - i)).toISOString(),
        importance,
        ...(occurredAt === undefined ? {} : { occurred_at: occurredAt }),
        ...(supersedes.length > 0 ? { supersedes: supersedes.map((id) => id.toString('hex')) } : {}),
        ...context,
      },
      text,
    });
    const outbox = parts.outbox.seal({ id: job.id, accountId, namespace }, text);
    const scope = { indexSecret: parts.secrets.indexKey, accountId, tag: tags.get(namespace)! };
    return {
      ...job,
      outbox,
      textHash: hashOf(memory),
      ...(context ? { context: contextTokens(scope).columnsOf(context) } : {}),
    };
  };
  const jobs = await stages.measure('seal', () => memories.map(seal));
  await parts.storageBudget.admit(
    accountId,
    jobs.reduce((sum, { envelope }) => sum + envelope.length, 0),
  );
  const answer = answerOf(jobs.map((job) => job.id));
  const write = repeatKey && { accountId, delegatePk: Buffer.from(caller.publicKey, 'hex'), ...repeatKey };
  const keyRow = write && parts.idempotency.rowFor(write, answer);
  const successions = jobs.map(({ id }, i) => ({
    accountId,
    successorId: id,
    envelopeIds: memories[i]!.supersedes ?? [],
  }));
  const isNew = await stages.measure('commit', async () => {
    if (jobs.length === 0) return keyRow ? insertKey(parts.db, keyRow) : true;
    if (successions.every(({ envelopeIds }) => envelopeIds.length === 0))
      return jobs.length === 1
        ? parts.singleWrites.insert({ job: jobs[0]!, key: keyRow })
        : insertJobs(parts.db, jobs, 'queued', keyRow);
    return parts.db.transaction(async (tx) => {
      const inserted = await insertJobs(tx, jobs, 'queued', keyRow);
      if (inserted) await insertSuccessors(tx, successions);
      return inserted;
    });
  });
  if (!isNew) return parts.idempotency.earlierAnswer<Answer>(write!);
  if (jobs.length > 0) parts.pipeline.wakeEmbedding(jobs.map(({ id }) => id));
  return answer;
}
