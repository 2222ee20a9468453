import { malformedRequest } from '../base/api-error.ts';
import { isBlobId } from '../base/ids.ts';
import { queryOf, refuseUnknown } from '../http/query.ts';
import { defaultPageSize } from './blob-store-admin.ts';

const maxPageSize = 1000;

export interface ListQuery {
  after?: string;
  limit: number;
  blobId?: string;
}

/** Parses `limit`, `cursor` and, if `known` lists it, `blob_id`. Throws 400 for any other parameter or value. */
export function parseListQuery(url: string, known: readonly 'blob_id'[] = []): ListQuery {
  const query = queryOf(url);
  refuseUnknown(query, ['cursor', 'limit', ...known]);
  const text = query.get('limit') ?? String(defaultPageSize);
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxPageSize) {
    throw malformedRequest(`limit must be a whole number from 1 to ${maxPageSize}`);
  }
  const after = query.get('cursor');
  const blobId = query.get('blob_id');
  if (blobId !== null && !isBlobId(blobId)) throw malformedRequest('blob_id must be a blob ID');
  return { limit, ...(after === null ? {} : { after }), ...(blobId === null ? {} : { blobId }) };
}
