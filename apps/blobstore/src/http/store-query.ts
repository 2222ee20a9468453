import { addressPattern } from '@memrelay/protocol/address';
import { invalidBlobPersistence, invalidEpochs, malformedRequest } from '../base/api-error.ts';
import type { StoreQuery } from '../publisher/store-blob.ts';
import { maxEpochsAhead } from '../registry/blob-registry.ts';
import { flagOf, queryOf, refuseUnknown } from './query.ts';

const parameters = [
  'epochs',
  'deletable',
  'permanent',
  'force',
  'reuse_resources',
  'encoding_type',
  'quilt_version',
  'send_object_to',
  'share',
] as const;

function epochsOf(query: URLSearchParams): number {
  const text = query.get('epochs') ?? '1';
  const epochs = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (epochs < 1 || epochs > maxEpochsAhead) throw invalidEpochs(maxEpochsAhead);
  return epochs;
}

function recipientOf(query: URLSearchParams): string | undefined {
  const address = query.get('send_object_to');
  if (address === null) return undefined;
  if (!addressPattern.test(address)) {
    throw malformedRequest('send_object_to must be an address of 0x and 64 hex digits');
  }
  return address.toLowerCase();
}

/**
 * Parses the query of `PUT /v1/blobs` and `PUT /v1/quilts`. Throws 400 for the first violated rule. Blobs are
 * deletable unless `permanent=true`; `deletable` only matters as a contradiction to it. `quilt_version` takes any
 * value, as upstream.
 */
export function parseStoreQuery(url: string): StoreQuery {
  const query = queryOf(url);
  refuseUnknown(query, parameters);
  const encoding = query.get('encoding_type') ?? 'RS2';
  if (encoding !== 'RS2') throw malformedRequest('encoding_type must be RS2');
  const sendObjectTo = recipientOf(query);
  const share = flagOf(query, 'share');
  if (share && sendObjectTo !== undefined)
    throw malformedRequest('share and send_object_to cannot be combined');
  const permanent = flagOf(query, 'permanent');
  if (flagOf(query, 'deletable') && permanent) throw invalidBlobPersistence();
  return {
    epochs: epochsOf(query),
    permanent,
    force: flagOf(query, 'force'),
    reuseResources: flagOf(query, 'reuse_resources'),
    sendObjectTo,
    share,
  };
}
