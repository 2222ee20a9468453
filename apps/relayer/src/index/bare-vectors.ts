import type { BareVectors } from '@memrelay/protocol/bundles';
import { ApiError } from '@memrelay/protocol/errors';
import type { VectorMap } from '@memrelay/text-index/vector-map';
import { createPauses } from '../base/concurrency/pauses.ts';
import type { Db } from '../base/db/db.ts';
import { decodeVector } from '../base/db/vector.ts';
import { vectorKeyId } from './embedding/account-vectors.ts';
import { normalize } from './embedding/embedder.ts';
import { readStoredVectors } from './rows/stored-vectors.ts';

/** Encodes a vector for a bundle: 32-bit floats, little-endian, base64. */
function encodeBare(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4);
  return bytes.toString('base64');
}

/** Throws `invalid_request` unless the text contains `dimension` finite numbers. */
function decodeBare(text: string, dimension: number, path: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  const vector = Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) =>
    bytes.readFloatLE(i * 4),
  );
  if (bytes.length === dimension * 4 && vector.every(Number.isFinite)) return vector;
  throw new ApiError('invalid_request', {
    details: { issues: [{ path, message: `must be ${dimension} finite 32-bit floats in base64` }] },
  });
}

/** Reads vectors of this model by memory id, without the account's map: as the model returned them. */
export async function readBareVectors(
  db: Db,
  map: VectorMap,
  accountId: Buffer,
  ids: readonly string[],
  model: string,
): Promise<Map<string, BareVectors>> {
  const found = new Map<string, BareVectors>();
  const pause = createPauses();
  const rows = await readStoredVectors(db, accountId, ids, model);
  for (const { memoryId, vectorKeyId: storedKeyId, bytes } of rows) {
    await pause();
    const stored = decodeVector(bytes);
    const vectors = found.get(memoryId) ?? { model, values: [] };
    vectors.values.push(encodeBare(storedKeyId === vectorKeyId ? map.invert(stored) : stored));
    found.set(memoryId, vectors);
  }
  return found;
}

/**
 * Applies the account's map to the vectors of a bundle. Returns them concatenated, as a job stores them until it is
 * embedded. Throws `invalid_request`.
 */
export function mappedVectors(
  map: VectorMap,
  dimension: number,
  values: readonly string[],
  path: string,
): Buffer {
  const parts = values.map((text, i) => {
    const mapped = map.apply(normalize(decodeBare(text, dimension, `${path}.${i}`)));
    return Buffer.from(mapped.buffer, mapped.byteOffset, mapped.byteLength);
  });
  return Buffer.concat(parts);
}
