import { randomUUID } from 'node:crypto';
import type { Readers } from '@memrelay/envelope/opaque-bytes';
import type { SealObject } from '@memrelay/envelope/seal-object';
import { decodeCoarse } from '@memrelay/protocol/coarse-vectors';
import { ApiError } from '@memrelay/protocol/errors';
import type {
  OpaqueNote,
  RememberAccepted,
  RememberManualRequest,
  RememberManualResponse,
} from '@memrelay/protocol/memories';
import { keyServerSetOf } from '@memrelay/protocol/server-set-id-node';
import type { AccountSnapshot } from '../../accounts/account-directory.ts';
import type { Caller } from '../../accounts/caller.ts';
import { requirePermission } from '../../accounts/require-permission.ts';
import { bytesToAddress, hexToBytes } from '../../base/db/hex.ts';
import { sha256 } from '../../base/sha256.ts';
import type { RelayerContext } from '../../context.ts';
import { normalize } from '../../index/embedding/embedder.ts';
import { vectorKeyId } from '../../index/embedding/vector-map.ts';
import { spaceOf } from '../../index/embedding/vector-space.ts';
import { insertJobs, insertManualMemory, type NewJob } from '../../jobs/queue/accept-jobs.ts';
import { readJobs } from '../../jobs/queue/read-jobs.ts';
import type { RepeatKey } from '../../jobs/queue/repeat-key.ts';
import { storableImportance } from '../../keys/seal-job.ts';
import { type ManualBytes, readManualBytes } from './manual-envelope.ts';

/** How long a call waits for its upload before it tells the caller to come back, and how often it looks. */
const waitMs = 60_000;
const pollMs = 1_000;
/** A text of 1 MiB has at most 292 pieces. */
const maxChunkVectors = 300;

/**
 * Registers bytes that the client encrypted, with its vectors, and waits for their upload unless it is not to. The job
 * goes on when the wait ends, so nothing is lost: the answer is then `store_unavailable` with the job's id. Throws
 * `store_rejected` when the job has ended without a blob.
 */
export async function rememberManual(
  context: RelayerContext,
  caller: Caller,
  request: RememberManualRequest,
  repeatKey: RepeatKey | undefined,
): Promise<RememberManualResponse | (RememberAccepted & OpaqueNote)> {
  const { account } = caller;
  const tag = context.tagOf(account.origin, request.namespace);
  requirePermission(caller, 'write', tag);
  const vectors = [context.checkVector(request.vector), ...chunkVectors(context, request.chunk_vectors)];
  const accountId = hexToBytes(account.accountId);
  await context.backlog.admit(accountId, 1);
  // The client has sealed this one; the next one is sealed under the new epoch
  await context.expiredDelegates.pruned(account);
  const envelope = Buffer.from(request.encrypted_data, 'base64');
  const { envelopeId, opaque } = await judge(context, account, tag, envelope);
  const job: NewJob = {
    id: randomUUID(),
    accountId,
    owner: account.owner,
    namespace: request.namespace,
    delegatePk: Buffer.from(caller.publicKey, 'hex'),
    outbox: undefined,
    envelope,
    envelopeId,
    envelopeSha256: sha256(envelope),
    importance: storableImportance(request.importance),
  };
  const info = { model: spaceOf(context.embedder, request.embedding_model), keyId: vectorKeyId };
  const map = context.vectors.mapOf(accountId);
  const mapped = vectors.map((vector) => map.apply(normalize(vector)));
  const write = repeatKey && { accountId, delegatePk: job.delegatePk, ...repeatKey };
  const isNew = await context.db.transaction(async (tx) => {
    const inserted = await insertJobs(
      tx,
      [job],
      'uploading',
      write && context.idempotency.rowFor(write, [job.id]),
    );
    if (inserted) {
      await insertManualMemory(tx, job.id, info, ...mapped);
      await context.accountWriters.remember(tx, accountId, job.delegatePk);
    }
    return inserted;
  });
  const jobId = isNew ? job.id : (await context.idempotency.earlierAnswer<string[]>(write!))[0]!;
  if (isNew) {
    context.accountWriters.refresh(accountId);
    context.pipeline.wakeUpload();
  }
  const note = opaque ? opaqueNote : {};
  if (!request.wait) return { job_id: jobId, status: 'running', ...note };
  const { blobId, owner, namespace } = await storedBlob(context, accountId, jobId);
  return { id: jobId, blob_id: blobId, owner, namespace, ...note };
}

const opaqueNote = {
  opaque: true,
  message:
    'Stored, but no reader of this account can decrypt these bytes: restore and text recall cannot use this memory.',
} as const;

function setOf({ services, threshold }: SealObject): string {
  const ids = services.map(({ objectId }) => bytesToAddress(Buffer.from(objectId)));
  return keyServerSetOf(ids, threshold);
}

/** What looks opaque is judged by the chain's current state: the key epoch that it is sealed under may have just begun. */
async function judge(
  { accounts, keyRewraps, sealing }: RelayerContext,
  { accountId, origin, keyEpoch }: AccountSnapshot,
  tag: Uint8Array,
  bytes: Buffer,
): Promise<ManualBytes> {
  const rewraps = await keyRewraps.of(hexToBytes(accountId));
  const readersAt = (epoch: number): Readers => ({
    origin: hexToBytes(origin),
    tag,
    maxEpoch: BigInt(epoch),
    packageId: hexToBytes(sealing.packageId),
    hasServers: (wrap, { recipientPk }) =>
      sealing.serverSets.includes(setOf(wrap)) || rewraps.has(Buffer.from(recipientPk).toString('hex')),
  });
  const judged = readManualBytes(bytes, readersAt(keyEpoch));
  if (!judged.opaque) return judged;
  const current = await accounts.account(accountId, { maxAgeMs: 0 });
  return readManualBytes(bytes, readersAt(current?.keyEpoch ?? keyEpoch));
}

/** Throws `invalid_request` unless they are whole vectors, not more than a text of the greatest length has pieces. */
function chunkVectors(
  { embedder: { dimension } }: RelayerContext,
  encoded: string | undefined,
): Float32Array[] {
  const bytes = Buffer.from(encoded ?? '', 'base64');
  if (bytes.length % dimension === 0 && bytes.length <= maxChunkVectors * dimension)
    return decodeCoarse(bytes, dimension);
  const message = `must be at most ${maxChunkVectors} vectors of ${dimension} bytes`;
  throw new ApiError('invalid_request', { details: { issues: [{ path: 'chunk_vectors', message }] } });
}

/** Waits for the end of a job, here or at another relayer. */
async function storedBlob(context: RelayerContext, accountId: Buffer, jobId: string) {
  const deadline = Date.now() + waitMs;
  for (;;) {
    // Listening before reading: an end in between is not missed
    const changed = context.pipeline.finished(jobId, pollMs);
    const job = (await readJobs(context.db, accountId, [jobId])).get(jobId);
    if (job?.blob_id) return { blobId: job.blob_id, owner: job.owner, namespace: job.namespace };
    if (job?.status !== 'running') throw new ApiError('store_rejected', { details: { job_id: jobId } });
    if (Date.now() > deadline || context.pipeline.stopping)
      throw new ApiError('store_unavailable', { details: { job_id: jobId } });
    await changed;
  }
}
