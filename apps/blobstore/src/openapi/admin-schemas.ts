import { readFaults, storeFaults } from '../faults/faults.ts';
import { type Schema, schemaRef } from './operation.ts';
import { listOf, record } from './schemas.ts';

const blobId = schemaRef('BlobId');
const objectId = schemaRef('ObjectId');
const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
const count = { type: 'integer', minimum: 0 };
const epochOrNull = { type: ['integer', 'null'] };
const positive = { type: 'integer', minimum: 1 };

const deletableCounts = record({ count_deletable_total: count, count_deletable_certified: count });

const faultProperties = {
  operation: { enum: ['read', 'store'] },
  fault: {
    enum: [...new Set([...readFaults, ...storeFaults])],
    description: `For reads: ${readFaults.join(', ')}. For stores: ${storeFaults.join(', ')}`,
  },
  'blobId?': blobId,
  'count?': { ...positive, description: 'Number of requests that fail; unlimited when absent' },
  'durationMs?': {
    type: 'number',
    exclusiveMinimum: 0,
    description: 'How long the fault is active, in milliseconds',
  },
  'delayMs?': { ...positive, description: 'Delay that SLOW adds, in milliseconds' },
};

/** Responses and request bodies of the admin routes. */
export const adminSchemas: Record<string, Schema> = {
  BlobStatus: {
    description: "In the format of a storage node's status route",
    oneOf: [
      { const: 'nonexistent' },
      record({
        permanent: record({
          endEpoch: count,
          isCertified: { type: 'boolean' },
          statusEvent: schemaRef('EventId'),
          deletableCounts,
          initialCertifiedEpoch: epochOrNull,
        }),
      }),
      record({ deletable: record({ initialCertifiedEpoch: epochOrNull, deletableCounts }) }),
    ],
  },
  AdminObject: record({
    blobObject: {
      type: 'object',
      description: 'In the format of a store response; `certifiedEpoch` is null until the blob is certified',
      properties: { id: objectId, blobId, certifiedEpoch: epochOrNull },
      required: ['id', 'blobId', 'certifiedEpoch'],
    },
    attributes: texts,
    owned: { type: 'boolean', description: 'The publisher still owns it' },
    burnt: { type: 'boolean', description: 'The object was destroyed; the blob stays until it expires' },
    'sharedBlobObject?': objectId,
    event: schemaRef('EventId'),
  }),
  BlobSummary: record({ blobId, size: count, status: schemaRef('BlobStatus') }),
  BlobDetails: record({
    blobId,
    status: schemaRef('BlobStatus'),
    objects: listOf(schemaRef('AdminObject')),
  }),
  Deletion: record({ deleted: listOf(objectId), kept: listOf(objectId) }),
  NewFault: record(faultProperties),
  Fault: record({ ...faultProperties, id: text }),
  FaultList: record({ faults: listOf(schemaRef('Fault')) }),
  Attributes: record({ attributes: texts }),
};
