import type { ConsistencyCheck } from '../aggregator/open-blob.ts';
import { malformedRequest } from '../base/api-error.ts';
import { wrongShape } from '../base/read-errors.ts';
import { flagOf, queryOf, refuseUnknown } from '../http/query.ts';
import { checkOf, skipFlag, strictFlag } from './read-query.ts';

/** The parameters of a concatenation, from query or JSON. */
export interface ConcatRequest {
  /** As given, at least one */
  ids: string[];
  check: ConsistencyCheck;
}

function requestOf(ids: string[], strict: boolean, skip: boolean): ConcatRequest {
  if (ids.length === 0) throw malformedRequest('at least one blob ID or object ID must be given');
  return { ids, check: checkOf(strict, skip) };
}

/**
 * The request in a query: `ids` is a comma list, in which spaces and empty places do not count. The flags work as
 * documented; the real aggregator answers 400 to them, because of how it parses them.
 */
export function parseConcatQuery(url: string): ConcatRequest {
  const query = queryOf(url);
  refuseUnknown(query, ['ids', strictFlag, skipFlag]);
  const list = query.get('ids');
  if (list === null) throw malformedRequest('ids must be given, as a comma list');
  const ids = list.split(',').flatMap((id) => id.trim() || []);
  return requestOf(ids, flagOf(query, strictFlag), flagOf(query, skipFlag));
}

function flagIn(body: Record<string, unknown>, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value !== 'boolean') throw wrongShape(`${name} must be true, false or null`);
  return value;
}

/** The request in a JSON body. Throws 400 when it is no JSON and 422 when it is another one. */
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
