import type { IncomingMessage } from 'node:http';
import type { Blocklist } from '../aggregator/blocklist.ts';
import { ApiError, insufficientConfirmations, payloadTooLarge } from '../base/api-error.ts';
import type { KeyedLock } from '../base/keyed-lock.ts';
import { forbiddenBlob } from '../base/read-errors.ts';
import type { Faults } from '../faults/faults.ts';
import { receiveBody } from '../http/receive-body.ts';
import type { IdentifyStaged } from '../publisher/identify-staged.ts';
import type { Registration, StorageNode } from '../registry/chain/storage-node.ts';
import type { StagedBlob, Storage } from '../storage/storage.ts';
import { checkPayment } from './payment.ts';
import {
  blobDigestMismatch,
  blobIdMismatch,
  blobLengthMismatch,
  missingPayment,
  notRegistered,
  transactionNotFound,
} from './relay-errors.ts';
import type { RelayQuery } from './relay-query.ts';
import type { Tip } from './tip.ts';

/** Maximum body size in bytes, as in the real relay. The size in the registration limits a body further. */
const maxBodyBytes = 2 ** 30;

/** The storage nodes to which uploads are relayed, and the tip for uploads. */
export interface UploadRelay {
  node: StorageNode;
  /** Uploads are free without it */
  tip: Tip | undefined;
  /** Milliseconds since 1970 */
  now: () => number;
}

export interface RelayParts {
  storage: Storage;
  identifyStaged: IdentifyStaged;
  blocklist: Blocklist;
  locks: KeyedLock;
  faults: Faults;
}

/** The response, with the wire names and formats of the real relay. */
export interface RelayResponse {
  /** 32 numbers */
  blob_id: number[];
  confirmation_certificate: {
    /** Indices of the storage nodes in the committee */
    signers: number[];
    /** Bytes as numbers */
    serialized_message: number[];
    /** Base64 */
    signature: string;
  };
}

/**
 * Receives the bytes of a blob that its owner registered on chain, stores them, and then returns a certificate of
 * the storage nodes, with which the owner certifies the blob. Problems with the registration or the payment are
 * reported before the body is read. A repeated upload gets the same certificate.
 */
export async function relayUpload(
  context: RelayParts,
  relay: UploadRelay,
  query: RelayQuery,
  body: IncomingMessage,
): Promise<RelayResponse> {
  if (context.blocklist.has(query.blobId)) throw forbiddenBlob();
  const { size } = await requireRegistration(relay.node, query);
  if (size > maxBodyBytes) throw payloadTooLarge(maxBodyBytes);
  const paidDigest = await requirePayment(relay, query, size);
  // The blob id determines the size, so a body of another size cannot be this blob.
  const otherSize = paidDigest === undefined ? blobIdMismatch() : blobLengthMismatch();
  const staged = await receiveBody(context.storage, body, size).catch((error: unknown) => {
    throw error instanceof ApiError && error.fields.httpStatus === 413 ? otherSize : error;
  });
  try {
    if (staged.size !== size) throw otherSize;
    if (paidDigest !== undefined && paidDigest !== staged.digest) throw blobDigestMismatch();
    return await keepAndConfirm(context, relay.node, query, staged);
  } finally {
    await context.storage.discard(staged);
  }
}

async function requireRegistration(
  node: StorageNode,
  { blobId, deletableObject }: RelayQuery,
): Promise<Registration> {
  const registration = await node.registration(blobId, deletableObject);
  if (registration === undefined) throw notRegistered();
  return registration;
}

/** The SHA-256 of the blob that was paid for; undefined if uploads are free. */
async function requirePayment(
  { node, tip, now }: UploadRelay,
  { transaction: digest, nonce }: RelayQuery,
  size: number,
): Promise<string | undefined> {
  if (tip === undefined) return undefined;
  if (digest === undefined || nonce === undefined) throw missingPayment();
  const transaction = await node.transaction(digest);
  if (transaction === undefined) throw transactionNotFound();
  return checkPayment(tip, transaction, { size, nonce, nShards: node.committee.nShards, nowMs: now() });
}

async function keepAndConfirm(
  { identifyStaged, locks, storage, faults }: RelayParts,
  node: StorageNode,
  query: RelayQuery,
  staged: StagedBlob,
): Promise<RelayResponse> {
  const { blobId } = query;
  storage.reserve(staged);
  const identity = await identifyStaged(staged);
  if (identity.blobId !== blobId) throw blobIdMismatch();
  return locks.run(blobId, async () => {
    const fault = await faults.meetStore(blobId);
    await storage.commit(staged, identity);
    await fault.beforeCertificate();
    if (fault.leavesUncertified) throw insufficientConfirmations();
    // Read again after the bytes are stored, because the registration may have expired, and its
    // epoch must be the current one.
    const registration = await requireRegistration(node, query);
    const { message, signature } = await node.confirm(registration);
    return {
      blob_id: [...Buffer.from(blobId, 'base64url')],
      confirmation_certificate: {
        signers: node.committee.members.map(({ index }) => index),
        serialized_message: [...message],
        signature: Buffer.from(signature).toString('base64'),
      },
    };
  });
}
