import { ApiError } from '@memrelay/protocol/errors';

/**
 * Throws `invalid_request` for fields of private namespaces, which this relayer does not have: a client that sends them
 * must not believe that they were understood.
 */
export function refusePrivateFields(fields: Readonly<Record<string, unknown>>): void {
  const issues = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([path]) => ({ path, message: 'is only for private namespaces, which this relayer does not have' }));
  if (issues.length > 0) throw new ApiError('invalid_request', { details: { issues } });
}

/** The vector of a request. Throws `invalid_request` without one. */
export function requireVector(vector: readonly number[] | undefined): readonly number[] {
  if (vector) return vector;
  throw new ApiError('invalid_request', {
    details: { issues: [{ path: 'vector', message: 'is required' }] },
  });
}
