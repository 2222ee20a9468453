import {
  insufficientConfirmations,
  internalError,
  invalidIdFormat,
  malformedRequest,
  payloadTooLarge,
  storageFull,
  storeLimitReached,
  storeUnavailable,
  tooManyRequests,
} from '../base/api-error.ts';
import { forbiddenBlob } from '../base/read-errors.ts';
import {
  blobDigestMismatch,
  blobIdMismatch,
  blobLengthMismatch,
  insufficientTip,
  invalidAuthPackage,
  invalidNonceHash,
  missingAuthPackage,
  missingPayment,
  noTipSent,
  notRegistered,
  relayNotOffered,
  transactionNotFound,
  transactionOfTheFuture,
  transactionTooOld,
} from '../upload-relay/relay-errors.ts';
import { jsonAnswer, type Operation, type Paths, queryParameter, schemaRef, withHead } from './operation.ts';
import { refusals } from './refusals.ts';

const tags = ['Upload relay'];
const text = { type: 'string' };

const tipConfig: Operation = {
  operationId: 'tipConfig',
  tags,
  summary: 'What an upload costs',
  responses: {
    ...jsonAnswer('`no_tip`, or the receiver and amount of the tip, in MIST', schemaRef('TipConfig')),
    ...refusals(relayNotOffered(), internalError(undefined)),
  },
};

const upload: Operation = {
  operationId: 'relayUpload',
  tags,
  summary: 'Send the bytes of a blob that is registered on chain',
  description:
    'For clients that register and certify blobs in their own transactions. The response contains the certificate that ' +
    'the certifying transaction needs.',
  parameters: [
    queryParameter('blob_id', 'The ID that was registered', schemaRef('BlobId'), true),
    queryParameter('deletable_blob_object', 'The object id, if the blob is deletable', text),
    queryParameter('tx_id', 'The transaction that paid the tip, in base58', text),
    queryParameter('nonce', 'The 32 bytes, in base64url, whose hash is in that transaction', text),
    queryParameter('encoding_type', 'Only RS2 is supported', { enum: ['RS2'], default: 'RS2' }),
  ],
  requestBody: { required: false, content: { 'application/octet-stream': { schema: {} } } },
  responses: {
    ...jsonAnswer('Stored; the certificate of the storage nodes', schemaRef('RelayResponse')),
    ...refusals(
      malformedRequest('the query parameter blob_id is missing'),
      invalidIdFormat(),
      notRegistered(),
      blobIdMismatch(),
      missingPayment(),
      transactionNotFound(),
      transactionTooOld(),
      transactionOfTheFuture(),
      missingAuthPackage(),
      invalidAuthPackage(),
      invalidNonceHash(),
      blobLengthMismatch(),
      blobDigestMismatch(),
      noTipSent(),
      insufficientTip(1n, 2n),
      payloadTooLarge(1_073_741_824),
      tooManyRequests('publisher'),
      forbiddenBlob(),
      internalError(undefined),
      relayNotOffered(),
      storeUnavailable(undefined),
      insufficientConfirmations(),
      storageFull(undefined),
      storeLimitReached(1_073_741_824),
    ),
  },
};

export const relayPaths: Paths = {
  '/v1/tip-config': withHead(tipConfig),
  '/v1/blob-upload-relay': { post: upload },
};
