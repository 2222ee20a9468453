import { ApiError } from '@memrelay/protocol/errors';

/** A client's vector as it is stored. Throws `invalid_request` unless it has `dimension` numbers that fit 32-bit floats. */
export function checkVector(values: readonly number[], dimension: number): Float32Array {
  const vector = Float32Array.from(values);
  const refuse = (message: string): ApiError =>
    new ApiError('invalid_request', { details: { issues: [{ path: 'vector', message }] } });
  if (vector.length !== dimension) throw refuse(`must have ${dimension} numbers`);
  // Finite as JSON, but too large for the 32-bit floats that are stored
  if (!vector.every(Number.isFinite)) throw refuse('must have numbers of at most 3.4e38');
  return vector;
}
