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
import type { AccountDirectory, AccountSnapshot } from '../../accounts/account-directory.ts';
import type { AccountWriters } from '../../accounts/account-writers.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { ExpiredDelegates } from '../../accounts/expired-delegates.ts';
import { requirePermission } from '../../accounts/require-permission.ts';
import type { Db } from '../../base/db/db.ts';
import { bytesToAddress, hexToBytes } from '../../base/db/hex.ts';
import { sha256 } from '../../base/sha256.ts';
import type { AccountVectors } from '../../index/embedding/account-vectors.ts';
import { vectorKeyId } from '../../index/embedding/account-vectors.ts';
import { type Embedder, normalize } from '../../index/embedding/embedder.ts';
import { spaceOf } from '../../index/embedding/vector-space.ts';
import type { Pipeline } from '../../jobs/pipeline.ts';
import type { Backlog } from '../../jobs/queue/backlog.ts';
import type { Idempotency } from '../../jobs/queue/idempotency.ts';
import type { RepeatKey } from '../../jobs/queue/repeat-key.ts';
import type { StorageBudget } from '../../jobs/queue/storage-budget.ts';
import { insertJobs, insertManualMemory, type NewJob } from '../../jobs/rows/accept-jobs.ts';
import { readJobs } from '../../jobs/rows/read-jobs.ts';
import type { KeyRewraps } from '../../keys/key-rewraps.ts';
import { storableImportance } from '../../keys/seal-job.ts';
import { refusePrivateFields, requireVector } from '../reading/private-fields.ts';
import type { NamespaceTags } from '../reading/scope-namespaces.ts';
import { judgeManualBytes, type ManualEnvelope, readManualBytes } from './manual-envelope.ts';

/** How long a call waits for its upload before the client has to retry, and how often it checks. */
const waitMs = 60_000;
const pollMs = 1_000;
/** A text of 1 MiB has at most 292 pieces. */
const maxChunkVectors = 300;

export interface RememberManualParts extends NamespaceTags {
  db: Db;
  accounts: Pick<AccountDirectory, 'account'>;
  accountWriters: Pick<AccountWriters, 'remember' | 'refresh'>;
  backlog: Backlog;
  /** A request's vector of the right length. Throws `invalid_request`. */
  checkVector(vector: readonly number[]): Float32Array;
  embedder: Pick<Embedder, 'model' | 'dimension'>;
  expiredDelegates: ExpiredDelegates;
  idempotency: Pick<Idempotency, 'rowFor' | 'earlierAnswer'>;
  keyRewraps: Pick<KeyRewraps, 'of'>;
  pipeline: Pick<Pipeline, 'wakeUpload' | 'finished' | 'stopping'>;
  /** Wraps that can be read here: the original package, and the ids of the sets of key servers */
  sealing: { packageId: string; serverSets: readonly string[] };
  storageBudget: StorageBudget;
  vectors: AccountVectors;
}

/**
 * Registers bytes that the client encrypted, with its vectors, and waits for their upload unless `wait` is off. If the
 * wait times out, the job continues and nothing is lost: the error is `store_unavailable` with the job's id. Throws
 * `store_rejected` if the job ended without a blob.
 */
export async function rememberManual(
  parts: RememberManualParts,
  caller: Caller,
  request: RememberManualRequest,
  repeatKey: RepeatKey | undefined,
): Promise<RememberManualResponse | (RememberAccepted & OpaqueNote)> {
  const { account } = caller;
  const tag = parts.tagOf(account.origin, request.namespace);
  requirePermission(caller, 'write', tag);
  const { private: index, needs_index } = request;
  refusePrivateFields({ private: index, needs_index });
  const vectors = [
    parts.checkVector(requireVector(request.vector)),
    ...chunkVectors(parts, request.chunk_vectors),
  ];
  const accountId = hexToBytes(account.accountId);
  await parts.backlog.admit(accountId, 1);
  // The client has already sealed this memory; the next one is sealed under the new epoch
  await parts.expiredDelegates.pruned(account);
  const envelope = Buffer.from(request.encrypted_data, 'base64');
  const { envelopeId, opaque } = await checkReadable(parts, account, tag, envelope);
  await parts.storageBudget.admit(accountId, envelope.length);
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
  const info = { model: spaceOf(parts.embedder, request.embedding_model), keyId: vectorKeyId };
  const map = parts.vectors.mapOf(accountId);
  const mapped = vectors.map((vector) => map.apply(normalize(vector)));
  const write = repeatKey && { accountId, delegatePk: job.delegatePk, ...repeatKey };
  const isNew = await parts.db.transaction(async (tx) => {
    const inserted = await insertJobs(
      tx,
      [job],
      'uploading',
      write && parts.idempotency.rowFor(write, [job.id]),
    );
    if (inserted) {
      await insertManualMemory(tx, job.id, info, ...mapped);
      await parts.accountWriters.remember(tx, accountId, job.delegatePk);
    }
    return inserted;
  });
  const jobId = isNew ? job.id : (await parts.idempotency.earlierAnswer<string[]>(write!))[0]!;
  if (isNew) {
    parts.accountWriters.refresh(accountId);
    parts.pipeline.wakeUpload();
  }
  const note = opaque ? opaqueNote : {};
  if (!request.wait) return { job_id: jobId, status: 'running', ...note };
  const { blobId, owner, namespace } = await storedBlob(parts, accountId, jobId);
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

/**
 * Bytes that look unreadable are checked again with the chain's current state: the key epoch that they are sealed under
 * may have just begun.
 */
async function checkReadable(
  { accounts, keyRewraps, sealing }: Pick<RememberManualParts, 'accounts' | 'keyRewraps' | 'sealing'>,
  { accountId, origin, keyEpoch }: AccountSnapshot,
  tag: Uint8Array,
  bytes: Buffer,
): Promise<ManualEnvelope> {
  const rewraps = await keyRewraps.of(hexToBytes(accountId));
  const readersAt = (epoch: number): Readers => ({
    origin: hexToBytes(origin),
    tag,
    maxEpoch: BigInt(epoch),
    packageId: hexToBytes(sealing.packageId),
    hasServers: (wrap, { recipientPk }) =>
      sealing.serverSets.includes(setOf(wrap)) || rewraps.has(Buffer.from(recipientPk).toString('hex')),
  });
  const read = readManualBytes(bytes);
  const judged = judgeManualBytes(read, readersAt(keyEpoch));
  if (!judged.opaque) return judged;
  const current = await accounts.account(accountId, { maxAgeMs: 0 });
  return judgeManualBytes(read, readersAt(current?.keyEpoch ?? keyEpoch));
}

/** Throws `invalid_request` unless they are whole vectors, at most as many as the longest text has chunks. */
function chunkVectors(
  { embedder: { dimension } }: Pick<RememberManualParts, 'embedder'>,
  encoded: string | undefined,
): Float32Array[] {
  const bytes = Buffer.from(encoded ?? '', 'base64');
  if (bytes.length % dimension === 0 && bytes.length <= maxChunkVectors * dimension)
    return decodeCoarse(bytes, dimension);
  const message = `must be at most ${maxChunkVectors} vectors of ${dimension} bytes`;
  throw new ApiError('invalid_request', { details: { issues: [{ path: 'chunk_vectors', message }] } });
}

/** Waits until the job ends, here or at another relayer. */
async function storedBlob(
  parts: Pick<RememberManualParts, 'db' | 'pipeline'>,
  accountId: Buffer,
  jobId: string,
) {
  const deadline = Date.now() + waitMs;
  for (;;) {
    // Listens before reading, so that an end in between is not missed
    const changed = parts.pipeline.finished(jobId, pollMs);
    const job = (await readJobs(parts.db, accountId, [jobId])).get(jobId);
    if (job?.blob_id) return { blobId: job.blob_id, owner: job.owner, namespace: job.namespace };
    if (job?.status !== 'running') throw new ApiError('store_rejected', { details: { job_id: jobId } });
    if (Date.now() > deadline || parts.pipeline.stopping)
      throw new ApiError('store_unavailable', { details: { job_id: jobId } });
    await changed;
  }
}
