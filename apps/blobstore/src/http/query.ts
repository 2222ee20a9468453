import { malformedRequest } from '../base/api-error.ts';

/** The query string of a request URL as raw pairs. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}

/** Throws 400 for a parameter that is not in `known` or is repeated, because the real daemon rejects both. */
export function refuseUnknown(query: URLSearchParams, known: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (!known.includes(name))
      throw malformedRequest(`unknown query parameter; known are ${known.join(', ')}`);
    if (seen.has(name)) throw malformedRequest(`the query parameter ${name} is given twice`);
    seen.add(name);
  }
}

/** A flag that is exactly `true` or `false`; false when absent, 400 when anything else. */
export function flagOf(query: URLSearchParams, name: string): boolean {
  const value = query.get(name) ?? 'false';
  if (value !== 'true' && value !== 'false') throw malformedRequest(`${name} must be true or false`);
  return value === 'true';
}
