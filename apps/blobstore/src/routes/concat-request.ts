import type { ConsistencyCheck } from '../aggregator/open-blob.ts';
import { malformedRequest } from '../base/api-error.ts';
import { wrongShape } from '../base/read-errors.ts';
import { flagOf, queryOf, refuseUnknown } from '../http/query.ts';
import { checkOf, skipFlag, strictFlag } from './read-query.ts';

/** The parameters of a concatenation, from query or JSON. */
export interface ConcatRequest {
  /** As in the request; at least one */
  ids: string[];
  check: ConsistencyCheck;
}

function requestOf(ids: string[], strict: boolean, skip: boolean): ConcatRequest {
  if (ids.length === 0) throw malformedRequest('at least one blob ID or object ID is required');
  return { ids, check: checkOf(strict, skip) };
}

/**
 * Parses the request from a query. `ids` is a comma-separated list; spaces and empty entries are ignored. The flags
 * work as documented, whereas the real aggregator returns 400 for them, because of how it parses the query.
 */
export function parseConcatQuery(url: string): ConcatRequest {
  const query = queryOf(url);
  refuseUnknown(query, ['ids', strictFlag, skipFlag]);
  const list = query.get('ids');
  if (list === null) throw malformedRequest('ids is required, as a comma-separated list');
  const ids = list.split(',').flatMap((id) => id.trim() || []);
  return requestOf(ids, flagOf(query, strictFlag), flagOf(query, skipFlag));
}

function flagIn(body: Record<string, unknown>, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value !== 'boolean') throw wrongShape(`${name} must be true, false or null`);
  return value;
}

/** Parses the request from a JSON body. Throws 400 for invalid JSON and 422 for JSON of the wrong shape. */
export function parseConcatBody(bytes: Buffer): ConcatRequest {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw malformedRequest('the body is not valid JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw wrongShape('the body must be an object with ids');
  }
  const fields = body as Record<string, unknown>;
  const known = ['ids', strictFlag, skipFlag];
  if (Object.keys(fields).some((name) => !known.includes(name))) {
    throw wrongShape(`unknown field; known are ${known.join(', ')}`);
  }
  const { ids } = fields;
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
    throw wrongShape('ids must be an array of strings');
  }
  return requestOf(ids, flagIn(fields, strictFlag), flagIn(fields, skipFlag));
}
