import { canonicalAddressPattern } from '@memrelay/protocol/address';
import { type Schema, schemaRef } from './operation.ts';

const blobId = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{43}$',
  examples: ['M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk'],
};
const objectId = {
  type: 'string',
  pattern: canonicalAddressPattern.source,
  examples: ['0x7b2f4c1d9e0a5836b1c7d2e3f4a5968778695a4b3c2d1e0f9a8b7c6d5e4f3a21'],
};
const count = { type: 'integer', minimum: 0 };
const text = { type: 'string' };
const yes = { type: 'boolean' };

/** An object with exactly these properties; those whose name ends in `?` may be absent. */
export function record(properties: Record<string, unknown>, description?: string): Schema {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
    required: entries.flatMap(([name]) => (name.endsWith('?') ? [] : [name])),
    additionalProperties: false,
  };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

const oneKey = (name: string, schema: Schema): Schema => record({ [name]: schema });

const errors = {
  Error: record(
    {
      error: record({
        status: { ...text, description: 'Canonical name of the kind of error' },
        code: { type: 'integer', description: 'The HTTP status' },
        message: { ...text, description: 'For people; may change' },
        details: {
          type: 'array',
          minItems: 1,
          items: { anyOf: [schemaRef('ErrorInfo'), schemaRef('DebugInfo')] },
        },
      }),
    },
    'The body of every error of every route.',
  ),
  ErrorInfo: record({
    '@type': { const: 'ErrorInfo' },
    reason: { ...text, description: 'What went wrong, for programs' },
    domain: {
      enum: ['daemon.walrus.space', 'auth.publisher.walrus.space'],
      description: 'The second value is for errors about store tokens',
    },
    metadata: { type: 'object' },
  }),
  DebugInfo: record(
    { '@type': { const: 'DebugInfo' }, stackEntries: listOf(text), detail: text },
    'Only with a 500: the request id, under which the log has the reason.',
  ),
};

const blobs = {
  BlobId: { ...blobId, description: '32 bytes in base64url without padding, computed from the content' },
  ObjectId: { ...objectId, description: 'Id of one object of a blob; a blob may have many' },
  EventId: record({ txDigest: { ...text, description: 'Base58' }, eventSeq: { ...text, pattern: '^\\d+$' } }),
  Storage: record({
    id: objectId,
    startEpoch: count,
    endEpoch: { ...count, description: 'Exclusive: the blob is gone when this epoch begins' },
    storageSize: { ...count, description: 'Encoded bytes' },
  }),
  BlobObject: record({
    id: objectId,
    registeredEpoch: count,
    blobId,
    size: { ...count, description: 'Unencoded bytes' },
    encodingType: { const: 'RS2' },
    certifiedEpoch: {
      ...count,
      description: 'The epoch in which the blob was stored. Other publishers may return null',
    },
    storage: schemaRef('Storage'),
    deletable: yes,
  }),
  ResourceOperation: {
    description: 'How the publisher obtained the object',
    oneOf: [
      oneKey('registerFromScratch', record({ encodedLength: count, epochsAhead: count })),
      oneKey('reuseStorage', record({ encodedLength: count })),
      oneKey('reuseRegistration', record({ encodedLength: count })),
      oneKey('reuseAndExtend', record({ encodedLength: count, epochsExtended: count })),
      oneKey('reuseAndExtendNonCertified', record({ encodedLength: count, epochsExtended: count })),
    ],
  },
  StoreResponse: {
    oneOf: [
      oneKey(
        'newlyCreated',
        record({
          blobObject: schemaRef('BlobObject'),
          resourceOperation: schemaRef('ResourceOperation'),
          cost: { ...count, description: 'FROST, 10⁻⁹ WAL' },
          'sharedBlobObject?': objectId,
        }),
      ),
      oneKey('alreadyCertified', {
        oneOf: [
          record({ blobId, event: schemaRef('EventId'), endEpoch: count }, 'A permanent blob, of any owner'),
          record(
            { blobId, object: objectId, endEpoch: count },
            "The publisher's own object, which is reused",
          ),
        ],
      }),
    ],
  },
};

const quilts = {
  StoredQuiltBlob: record({
    identifier: text,
    quiltPatchId: text,
    range: {
      type: 'array',
      items: count,
      minItems: 2,
      maxItems: 2,
      description: 'First column, and the one after the last',
    },
  }),
  QuiltStoreResponse: record({
    blobStoreResult: schemaRef('StoreResponse'),
    storedQuiltBlobs: { ...listOf(schemaRef('StoredQuiltBlob')), description: 'In the order of identifiers' },
  }),
  QuiltPatch: record({
    identifier: text,
    patch_id: text,
    tags: { type: 'object', additionalProperties: text },
  }),
};

const concat = {
  ConcatRequest: record({
    ids: {
      ...listOf(text),
      minItems: 1,
      description: 'Blob IDs and object IDs, in the order of the response',
    },
    'strict_consistency_check?': { type: ['boolean', 'null'] },
    'skip_consistency_check?': { type: ['boolean', 'null'] },
  }),
};

const relay = {
  TipConfig: {
    oneOf: [
      { const: 'no_tip' },
      record({
        send_tip: record({
          address: objectId,
          kind: {
            oneOf: [
              record({ const: count }),
              record({ linear: record({ base: count, encoded_size_mul_per_kib: count }) }),
            ],
          },
        }),
      }),
    ],
  },
  RelayResponse: record({
    blob_id: { ...listOf({ type: 'integer', minimum: 0, maximum: 255 }), description: 'The 32 bytes' },
    confirmation_certificate: record({
      signers: listOf(count),
      serialized_message: listOf(count),
      signature: { ...text, description: 'Base64' },
    }),
  }),
};

/** All named schemas of publisher and aggregator. */
export const schemas: Record<string, Schema> = {
  ...errors,
  ...blobs,
  ...quilts,
  ...concat,
  ...relay,
};
