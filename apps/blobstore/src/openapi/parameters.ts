import { addressPattern } from '@memrelay/protocol/address';
import { maxEpochsAhead } from '../registry/blob-registry.ts';
import { type Parameter, type Schema, schemaRef } from './operation.ts';

const flag: Schema = { type: 'boolean', default: false };

function query(name: string, description: string, schema: Schema = flag): Parameter {
  return { name, in: 'query', required: false, description, schema };
}

/** Of the reads that can check what they send. */
export const consistencyChecks: Parameter[] = [
  query('strict_consistency_check', 'Recomputes the blob ID before the first byte is sent'),
  query('skip_consistency_check', 'Sends the stored bytes without checking them. Excludes the other'),
];

/** Of both routes that store. Any other parameter, and any of them twice, is refused. */
export const storeParameters: Parameter[] = [
  query('epochs', 'How many epochs from the present one the blob shall live', {
    type: 'integer',
    minimum: 1,
    maximum: maxEpochsAhead,
    default: 1,
  }),
  query('permanent', 'The blob cannot be deleted before it expires'),
  query('deletable', 'The default; only matters as a contradiction to `permanent`'),
  query('force', 'Registers a new object even if the blob is already certified for long enough'),
  query('reuse_resources', "Uses the publisher's own objects and spare storage, extending where needed"),
  query('send_object_to', 'Who receives the object; the publisher keeps it otherwise. Excludes `share`', {
    type: 'string',
    pattern: addressPattern.source,
  }),
  query('share', 'Wraps the object into a shared one, whose life anyone may extend'),
  query('encoding_type', 'There is one', { enum: ['RS2'], default: 'RS2' }),
  query('quilt_version', 'Any value means V1', { type: 'string', default: 'V1' }),
];

export const rangeHeader: Parameter = {
  name: 'Range',
  in: 'header',
  required: false,
  description: 'One range inside the blob: `bytes=0-99`, `bytes=100-` or `bytes=-10`',
  schema: { type: 'string', examples: ['bytes=0-99'] },
};

export const blobIdParameter: Parameter = {
  name: 'blob_id',
  in: 'path',
  required: true,
  description: 'As a store answers it',
  schema: schemaRef('BlobId'),
};
