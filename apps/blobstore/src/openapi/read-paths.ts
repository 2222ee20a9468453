import {
  type ApiError,
  blobNotFound,
  blobUnavailable,
  internalError,
  invalidByteRange,
  invalidConsistencyCheck,
  invalidIdFormat,
  invalidObjectId,
  malformedRequest,
  payloadTooLarge,
  tooManyRequests,
} from '../base/api-error.ts';
import {
  blobTooLarge,
  forbiddenBlob,
  invalidRangeParameters,
  neitherId,
  notJson,
  objectNotResolved,
  wrongShape,
} from '../base/read-errors.ts';
import {
  type Answer,
  headerRefs,
  type Media,
  type Operation,
  type Parameter,
  type Paths,
  pathParameter,
  queryParameter,
  schemaRef,
  sharedHeaders,
  withHead,
} from './operation.ts';
import { blobIdParameter, consistencyChecks, rangeHeader } from './parameters.ts';
import { refusals } from './refusals.ts';

const bytes: Record<string, Media> = { '*/*': { schema: {} } };

export const readHeaders = headerRefs(
  'X-Content-Type-Options',
  'Content-Security-Policy',
  'Cache-Control',
  'ETag',
  'Content-Type',
);
export const attributeHeaders = headerRefs(
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Location',
  'Link',
);

export function bytesAnswer(description: string, headers: Answer['headers'] = {}): Answer {
  return { description, headers: { ...sharedHeaders, ...readHeaders, ...headers }, content: bytes };
}

const length = headerRefs('Content-Length');

/** Errors that any read may return. */
export const readRefusals = [
  blobNotFound(),
  forbiddenBlob(),
  blobTooLarge(1_048_576),
  blobUnavailable(undefined),
  tooManyRequests('aggregator'),
  internalError(undefined),
];

const malformed = malformedRequest('the query has a parameter that is not known');

interface Ranged extends Pick<Operation, 'operationId' | 'summary' | 'description'> {
  parameter: Parameter;
  refusal: ApiError;
  attributes?: Answer['headers'];
}

/** A read of one blob with `Range` and the flags of the consistency check. */
function ranged({ parameter, refusal, attributes, ...operation }: Ranged): Operation {
  return {
    tags: ['Aggregator'],
    ...operation,
    parameters: [parameter, rangeHeader, ...consistencyChecks],
    responses: {
      200: bytesAnswer('The whole blob', { ...length, ...attributes }),
      206: bytesAnswer('The bytes that `Range` names', {
        ...length,
        ...headerRefs('Content-Range'),
        ...attributes,
      }),
      ...refusals(malformed, invalidConsistencyCheck(), refusal, invalidByteRange(1000), ...readRefusals),
    },
  };
}

const byBlobId = ranged({
  operationId: 'readBlob',
  summary: 'Read a blob',
  description: 'The content is verified before it is sent, unless the check is skipped.',
  parameter: blobIdParameter,
  refusal: invalidIdFormat(),
});

const byObjectId = ranged({
  operationId: 'readBlobByObjectId',
  summary: 'Read the blob of an object',
  description:
    "Like a read by blob ID, with the object's allowed attributes as headers. Also accepts the ID of a shared object.",
  parameter: pathParameter('object_id', 'As returned by a store'),
  refusal: invalidObjectId(),
  attributes: attributeHeaders,
});

const whole = { type: 'integer', minimum: 0 };

const byteRange: Operation = {
  operationId: 'readByteRange',
  tags: ['Aggregator'],
  summary: 'Read a part of a blob as a complete response',
  description: 'For caches that do not support ranges: 200, with a separate tag and no `Content-Range`.',
  parameters: [
    blobIdParameter,
    queryParameter('start', 'First byte', whole, true),
    queryParameter('length', 'How many bytes, at least one', { ...whole, minimum: 1 }, true),
  ],
  responses: {
    200: bytesAnswer('These bytes', length),
    ...refusals(
      malformedRequest('start is required and must be a whole number below 2^64'),
      invalidIdFormat(),
      invalidRangeParameters('the range ends beyond the 10 bytes of the blob'),
      ...readRefusals,
    ),
  },
};

const stream: Operation = {
  operationId: 'streamBlob',
  tags: ['Aggregator'],
  summary: 'Stream a blob',
  description:
    'Alpha. Always the whole blob; ranges and flags are not supported. A failure after the first byte closes the connection.',
  parameters: [blobIdParameter],
  responses: {
    200: bytesAnswer('The whole blob', { ...length, ...headerRefs('X-Walrus-Streaming') }),
    ...refusals(invalidIdFormat(), ...readRefusals),
  },
};

const concatRefusals = [
  malformedRequest('at least one blob ID or object ID is required'),
  invalidConsistencyCheck(),
  neitherId(1),
  objectNotResolved(`0x${'0'.repeat(64)}`),
  ...readRefusals,
];
const concatenated = bytesAnswer('The blobs one after another', attributeHeaders);

const concatByQuery: Operation = {
  operationId: 'concatBlobs',
  tags: ['Aggregator'],
  summary: 'Read several blobs as one',
  description: 'Alpha. Has the attributes of the first object, if the first ID is an object ID.',
  parameters: [
    queryParameter('ids', 'Comma-separated list of blob IDs and object IDs', { type: 'string' }, true),
    ...consistencyChecks,
  ],
  responses: { 200: concatenated, ...refusals(...concatRefusals) },
};

const concatByBody: Operation = {
  operationId: 'concatBlobsByBody',
  tags: ['Aggregator'],
  summary: 'Read several blobs as one, named in JSON',
  requestBody: { required: true, content: { 'application/json': { schema: schemaRef('ConcatRequest') } } },
  responses: {
    200: concatenated,
    ...refusals(
      ...concatRefusals,
      payloadTooLarge(2_097_152),
      notJson(),
      wrongShape('ids must be an array of strings'),
    ),
  },
};

export const readPaths: Paths = {
  '/v1/blobs/{blob_id}': withHead(byBlobId),
  '/v1/blobs/by-object-id/{object_id}': withHead(byObjectId),
  '/v1/blobs/{blob_id}/byte-range': withHead(byteRange),
  '/v1alpha/blobs/{blob_id}/stream': withHead(stream),
  '/v1alpha/blobs/concat': { ...withHead(concatByQuery), post: concatByBody },
};
