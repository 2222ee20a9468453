import { createHash, randomUUID } from 'node:crypto';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import { ApiError } from '@memrelay/protocol/errors';
import type {
  RememberManualRequest,
  RememberManualResponse,
  RememberRequest,
} from '@memrelay/protocol/memories';
import type { Caller } from '../auth/caller.ts';
import { requirePermission } from '../auth/require-permission.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import { normalize } from '../embedding/embedder.ts';
import { vectorKeyId } from '../embedding/vector-map.ts';
import type { StageTimes } from '../http/stage-times.ts';
import { insertJobs, insertManualMemory, type NewJob } from '../jobs/accept-jobs.ts';
import type { RepeatableWrite } from '../jobs/idempotency.ts';
import { readJobs } from '../jobs/read-jobs.ts';

const standardImportance = 0.5;
/** How long a manual call waits for its upload before it tells the caller to come back. */
const manualWaitMs = 60_000;

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
  const { account } = caller;
  const tags = new Map(
    [...new Set(items.map((item) => item.namespace))].map((namespace) => {
      const tag = context.tagOf(account.origin, namespace);
      requirePermission(caller, 'write', tag);
      return [namespace, tag] as const;
    }),
  );
  context.requireEmbedder();
  const keys = await stages.measure('keys', async () => {
    const entries = [...tags].map(
      async ([namespace, tag]) => [namespace, await context.namespaceKeys.current(account, tag)] as const,
    );
    return new Map(await Promise.all(entries));
  });
  const accountId = hexToBytes(account.accountId);
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

/**
 * Registers bytes that the client encrypted, with its vector, and waits for their upload. The job goes on when the
 * wait ends, so nothing is lost: the answer is then `store_unavailable` with the job's id.
 */
export async function rememberManual(
  context: RelayerContext,
  caller: Caller,
  request: RememberManualRequest,
  repeatKey: RepeatKey | undefined,
): Promise<RememberManualResponse> {
  const { account } = caller;
  const tag = context.tagOf(account.origin, request.namespace);
  requirePermission(caller, 'write', tag);
  const vector = context.checkVector(request.vector);
  const accountId = hexToBytes(account.accountId);
  const envelope = Buffer.from(request.encrypted_data, 'base64');
  const job: NewJob = {
    id: randomUUID(),
    accountId,
    owner: account.owner,
    namespace: request.namespace,
    delegatePk: Buffer.from(caller.publicKey, 'hex'),
    outbox: undefined,
    envelope,
    envelopeId: envelopeIdOf(envelope, hexToBytes(account.origin), tag),
    envelopeSha256: sha256(envelope),
    importance: standardImportance,
  };
  const info = { model: context.embedder.model, keyId: vectorKeyId };
  const mapped = context.vectors.mapOf(accountId).apply(normalize(vector));
  const write = repeatKey && { accountId, delegatePk: job.delegatePk, ...repeatKey };
  const finished = context.pipeline.finished(job.id, manualWaitMs);
  const isNew = await context.db.transaction(async (tx) => {
    const inserted = await insertJobs(
      tx,
      [job],
      'uploading',
      write && context.idempotency.rowFor(write, [job.id]),
    );
    if (inserted) await insertManualMemory(tx, job.id, info, mapped);
    return inserted;
  });
  const jobId = isNew ? job.id : (await context.idempotency.earlierAnswer(write!))[0]!;
  if (isNew) {
    context.pipeline.wakeUpload();
    await finished;
  }
  const record = (await readJobs(context.db, accountId, [jobId])).get(jobId);
  if (record?.blob_id)
    return { id: jobId, blob_id: record.blob_id, owner: record.owner, namespace: record.namespace };
  throw new ApiError('store_unavailable', { details: { job_id: jobId } });
}

/** The id in the header of an envelope of this namespace; `undefined` for bytes of another format. */
function envelopeIdOf(bytes: Buffer, origin: Buffer, tag: Uint8Array): Buffer | undefined {
  const refuse = (message: string): never => {
    throw new ApiError('invalid_request', { details: { issues: [{ path: 'encrypted_data', message }] } });
  };
  if (bytes.subarray(0, 4).toString('latin1') !== 'MRE1') return undefined;
  try {
    const header = parseHeader(bytes, bytes.length);
    if (!origin.equals(header.origin) || !Buffer.from(tag).equals(header.tag))
      refuse('is an envelope of another account or namespace');
    return Buffer.from(header.envelopeId);
  } catch (error) {
    if (error instanceof EnvelopeError) return refuse('is a damaged envelope');
    throw error;
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
