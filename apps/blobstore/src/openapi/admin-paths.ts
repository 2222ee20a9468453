import { faultNotFound } from '../admin/admin-routes.ts';
import { adminTokenRequired } from '../admin/admin-token.ts';
import {
  type ApiError,
  blobNotFound,
  internalError,
  invalidEpochs,
  invalidIdFormat,
  invalidObjectId,
  malformedRequest,
  payloadTooLarge,
  storeUnavailable,
} from '../base/api-error.ts';
import { fromRegistry } from '../http/registry-errors.ts';
import { maxEpochsAhead, type RefusalReason, RegistryRefusedError } from '../registry/blob-registry.ts';
import {
  headerRefs,
  jsonAnswer,
  type Operation,
  type Parameter,
  type Paths,
  pathParameter,
  queryParameter,
  type Schema,
  schemaRef,
  withHead,
} from './operation.ts';
import { refusals } from './refusals.ts';
import { listOf, record } from './schemas.ts';

function refusal(reason: RefusalReason, message: string): ApiError {
  return fromRegistry(new RegistryRefusedError(reason, message))!;
}

const notFound = refusal('not-found', 'the object does not exist');
const notOwned = refusal('not-owned', 'the publisher does not own this object');
const permanent = refusal('permanent', 'the blob is permanent');
const uncertified = refusal('uncertified', 'the blob is not certified');
const notOffered = refusal('not-offered', 'epochs are advanced by the chain');
const badBody = malformedRequest('the body is not valid JSON');
const badQuery = malformedRequest('limit must be a whole number from 1 to 1000');

interface AdminOperation {
  answer: Schema;
  parameters?: Parameter[];
  body?: Schema;
  refused?: ApiError[];
}

function operation(
  operationId: string,
  summary: string,
  { answer, parameters = [], body, refused = [] }: AdminOperation,
): Operation {
  const bodyRefusals = body === undefined ? [] : [badBody, payloadTooLarge(262_144)];
  return {
    operationId,
    tags: ['Admin'],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: false, content: { 'application/json': { schema: body } } } }),
    responses: {
      ...jsonAnswer(summary, answer, headerRefs('Cache-Control')),
      ...refusals(
        ...bodyRefusals,
        ...refused,
        adminTokenRequired(),
        internalError(undefined),
        storeUnavailable(undefined),
      ),
    },
    security: [{ admin: [] }],
  };
}

const blob = pathParameter('blob_id', 'The blob', schemaRef('BlobId'));
const object = pathParameter('object_id', 'The object');
const whole = { type: 'integer', minimum: 1 };
const page = [
  queryParameter('limit', 'Maximum number of items in the response', {
    ...whole,
    maximum: 1000,
    default: 100,
  }),
  queryParameter('cursor', '`cursor` of the previous page', { type: 'string' }),
];
const epoch = record({ epoch: { type: 'integer' } });
const faults = schemaRef('FaultList');

/** One page of a list. */
function pageOf(name: string, schema: string): Schema {
  return record({ [name]: listOf(schemaRef(schema)), 'cursor?': { type: 'string' } });
}

/** Routes that exist only if the store has an admin token. */
export const adminPaths: Paths = {
  '/admin/epoch': {
    ...withHead(operation('currentEpoch', 'The current epoch', { answer: epoch })),
  },
  '/admin/epoch/advance': {
    post: operation('advanceEpoch', 'End the current epoch', {
      answer: epoch,
      body: record({ 'by?': { ...whole, maximum: 1_000_000, default: 1 } }),
      refused: [notOffered],
    }),
  },
  '/admin/sweep': {
    post: operation('sweep', 'Remove the data of expired and deleted blobs', {
      answer: record({ removed: { type: 'integer' } }),
    }),
  },
  '/admin/blobs': {
    ...withHead(
      operation('listBlobs', 'Blobs in the order of their IDs', {
        answer: pageOf('blobs', 'BlobSummary'),
        parameters: page,
        refused: [badQuery],
      }),
    ),
  },
  '/admin/blobs/{blob_id}': {
    ...withHead(
      operation('getBlob', 'A blob and its objects', {
        answer: schemaRef('BlobDetails'),
        parameters: [blob],
        refused: [invalidIdFormat()],
      }),
    ),
    delete: operation('deleteBlob', 'Delete the deletable objects of a blob', {
      answer: schemaRef('Deletion'),
      parameters: [blob],
      refused: [invalidIdFormat(), blobNotFound()],
    }),
  },
  '/admin/objects': {
    ...withHead(
      operation('listObjects', 'Objects in the order of their IDs', {
        answer: pageOf('objects', 'AdminObject'),
        parameters: [...page, queryParameter('blob_id', 'Only objects of this blob', schemaRef('BlobId'))],
        refused: [badQuery],
      }),
    ),
  },
  '/admin/objects/{object_id}': {
    delete: operation('deleteObject', 'Delete an object', {
      answer: schemaRef('Deletion'),
      parameters: [object],
      refused: [invalidObjectId(), notFound, permanent, notOwned],
    }),
  },
  '/admin/objects/{object_id}/extend': {
    post: operation('extendObject', 'Extend the life of an object', {
      answer: record({ endEpoch: { type: 'integer' } }),
      parameters: [object],
      body: record({ epochs: { ...whole, maximum: maxEpochsAhead } }),
      refused: [invalidObjectId(), invalidEpochs(maxEpochsAhead), notFound, uncertified, notOwned],
    }),
  },
  '/admin/objects/{object_id}/attributes': {
    patch: operation('setAttributes', 'Set and remove attributes of an object', {
      answer: schemaRef('Attributes'),
      parameters: [object],
      body: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
      refused: [invalidObjectId(), notFound, notOwned],
    }),
  },
  '/admin/faults': {
    ...withHead(operation('listFaults', 'The active faults', { answer: faults })),
    post: operation('addFault', 'Make requests fail', {
      answer: schemaRef('Fault'),
      body: schemaRef('NewFault'),
    }),
    delete: operation('clearFaults', 'End all faults', { answer: faults }),
  },
  '/admin/faults/{id}': {
    delete: operation('removeFault', 'End one fault', {
      answer: faults,
      parameters: [pathParameter('id', 'The id of the fault')],
      refused: [faultNotFound()],
    }),
  },
};
