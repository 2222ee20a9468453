import { fromBase58 } from '@mysten/sui/utils';
import { invalidIdFormat, malformedRequest } from '../base/api-error.ts';
import { isBlobId, parseObjectId } from '../base/ids.ts';
import { queryOf, refuseUnknown } from '../http/query.ts';

/** The validated query of an upload. */
export interface RelayQuery {
  blobId: string;
  /** Object id of a deletable blob */
  deletableObject: string | undefined;
  /** Base58 digest of the transaction that paid */
  transaction: string | undefined;
  /** 32 bytes, whose hash is in that transaction */
  nonce: Buffer | undefined;
}

const parameters = ['blob_id', 'tx_id', 'nonce', 'deletable_blob_object', 'encoding_type'] as const;

function digestOf(text: string | null): string | undefined {
  if (text === null) return undefined;
  try {
    if (text.length <= 44 && fromBase58(text).length === 32) return text;
  } catch {
    // Rejected below, like any other length.
  }
  throw malformedRequest('tx_id must be the digest of a transaction, 32 bytes in base58');
}

function nonceOf(text: string | null): Buffer | undefined {
  if (text === null) return undefined;
  // A blob id is also 32 bytes in unpadded URL-safe base64.
  if (!isBlobId(text)) throw malformedRequest('nonce must be 32 bytes in unpadded URL-safe base64');
  return Buffer.from(text, 'base64url');
}

/** Parses the query of `POST /v1/blob-upload-relay`. Throws 400 for the first violated rule. */
export function parseRelayQuery(url: string): RelayQuery {
  const query = queryOf(url);
  refuseUnknown(query, parameters);
  const blobId = query.get('blob_id');
  if (blobId === null) throw malformedRequest('the query parameter blob_id is missing');
  if (!isBlobId(blobId)) throw invalidIdFormat();
  const object = query.get('deletable_blob_object');
  const deletableObject = object === null ? undefined : parseObjectId(object);
  if (object !== null && deletableObject === undefined)
    throw malformedRequest('deletable_blob_object must be an object ID of 0x and 64 hex digits');
  if ((query.get('encoding_type') ?? 'RS2') !== 'RS2') throw malformedRequest('encoding_type must be RS2');
  const transaction = digestOf(query.get('tx_id'));
  return { blobId, deletableObject, transaction, nonce: nonceOf(query.get('nonce')) };
}
