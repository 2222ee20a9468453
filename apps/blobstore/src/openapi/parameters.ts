import { addressPattern } from '@memrelay/protocol/address';
import { maxEpochsAhead } from '../registry/blob-registry.ts';
import { type Parameter, type Schema, schemaRef } from './operation.ts';

const flag: Schema = { type: 'boolean', default: false };

function query(name: string, description: string, schema: Schema = flag): Parameter {
  return { name, in: 'query', required: false, description, schema };
}

/** Parameters of the reads that can verify the content. */
export const consistencyChecks: Parameter[] = [
  query('strict_consistency_check', 'Recomputes the blob ID before the first byte is sent'),
  query(
    'skip_consistency_check',
    'Sends the stored bytes without checking them. Cannot be combined with `strict_consistency_check`',
  ),
];

/** Parameters of both routes that store. Unknown and repeated parameters are rejected. */
export const storeParameters: Parameter[] = [
  query('epochs', 'Number of epochs that the blob is stored, counted from the current one', {
    type: 'integer',
    minimum: 1,
    maximum: maxEpochsAhead,
    default: 1,
  }),
  query('permanent', 'The blob cannot be deleted before it expires'),
  query('deletable', 'The default; only matters as a contradiction to `permanent`'),
  query('force', 'Registers a new object even if the blob is already certified for long enough'),
  query('reuse_resources', "Uses the publisher's own objects and spare storage, extending where needed"),
  query(
    'send_object_to',
    'The address that receives the object; by default the publisher keeps it. Cannot be combined with `share`',
    {
      type: 'string',
      pattern: addressPattern.source,
    },
  ),
  query('share', 'Wraps the object in a shared one, whose lifetime anyone may extend'),
  query('encoding_type', 'Only RS2 is supported', { enum: ['RS2'], default: 'RS2' }),
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
  description: 'As returned by a store',
  schema: schemaRef('BlobId'),
};
