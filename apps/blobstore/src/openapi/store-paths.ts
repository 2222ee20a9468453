import {
  expiredToken,
  failedPrecondition,
  invalidSignature,
  invalidToken,
  tokenAlreadyUsed,
  tokenCacheFull,
} from '../auth/auth-error.ts';
import {
  insufficientConfirmations,
  internalError,
  invalidBlobPersistence,
  invalidEpochs,
  malformedRequest,
  payloadTooLarge,
  storageFull,
  storeLimitReached,
  storeUnavailable,
  tooManyRequests,
} from '../base/api-error.ts';
import { forbiddenBlob } from '../base/read-errors.ts';
import { maxEpochsAhead } from '../registry/blob-registry.ts';
import { jsonAnswer, type Operation, type Paths, schemaRef } from './operation.ts';
import { storeParameters } from './parameters.ts';
import { refusals } from './refusals.ts';

/** The possible rejections of a store. Those about tokens apply only if the publisher requires them. */
const storeRefusals = refusals(
  malformedRequest('the query has a parameter that is not known'),
  invalidEpochs(maxEpochsAhead),
  invalidBlobPersistence(),
  failedPrecondition('MISSING_TOKEN', 'a store needs a token: Authorization: Bearer <JWT>'),
  invalidToken('the token is not a signed JWT'),
  failedPrecondition('INCONSISTENT_TOKEN', 'the token has both size and max_size'),
  failedPrecondition('INVALID_EXPIRATION', 'exp must be 60 seconds after iat in every token'),
  failedPrecondition('INVALID_TIMESTAMP', 'the claim exp is not a valid time'),
  failedPrecondition('INVALID_SIZE', 'the token is for 100 bytes, not 101'),
  failedPrecondition('INVALID_SEND_OBJECT_TO', 'send_object_to must be the address that the token names'),
  invalidSignature(),
  payloadTooLarge(10_485_760),
  tokenAlreadyUsed(),
  tooManyRequests('publisher'),
  forbiddenBlob(),
  internalError(undefined),
  tokenCacheFull(),
  storeUnavailable(undefined),
  expiredToken(),
  insufficientConfirmations(),
  storageFull(undefined),
  storeLimitReached(1_073_741_824),
);

const security: Operation['security'] = [{}, { token: [] }];

const storeBlob: Operation = {
  operationId: 'storeBlob',
  tags: ['Publisher'],
  summary: 'Store a blob',
  description:
    'The body is the blob, whatever its content type. Each store creates a new object for the blob, unless ' +
    '`permanent` or `reuse_resources` allows an existing object to be used.',
  parameters: storeParameters,
  requestBody: { required: false, content: { 'application/octet-stream': { schema: {} } } },
  responses: {
    ...jsonAnswer('Stored, or already certified for long enough', schemaRef('StoreResponse')),
    ...storeRefusals,
  },
  security,
};

const storeQuilt: Operation = {
  operationId: 'storeQuilt',
  tags: ['Publisher'],
  summary: 'Store many small blobs as one quilt',
  description:
    'One part per blob; its field name is the identifier. The field `_metadata` may contain tags: a JSON list of ' +
    '`{identifier, tags}`.',
  parameters: storeParameters,
  requestBody: {
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { _metadata: { type: 'string' } },
          additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream' },
        },
      },
    },
  },
  responses: {
    ...jsonAnswer('Stored, with the IDs of the patches', schemaRef('QuiltStoreResponse')),
    ...storeRefusals,
  },
  security,
};

export const storePaths: Paths = {
  '/v1/blobs': { put: storeBlob },
  '/v1/quilts': { put: storeQuilt },
};
