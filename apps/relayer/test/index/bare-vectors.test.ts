import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeVector } from '../../src/base/db/vector.ts';
import { mappedVectors, readBareVectors } from '../../src/index/bare-vectors.ts';
import { accountMap, vectorKeyId } from '../../src/index/embedding/account-vectors.ts';
import { normalize } from '../../src/index/embedding/embedder.ts';
import { databases, type TestDb } from '../support/databases.ts';

/** Vectors leave a server as the model returned them, and another server applies its own account's map. */

const random = (dimension: number): Float32Array =>
  normalize(Float32Array.from({ length: dimension }, () => Math.random() - 0.5));
/** The index keeps 11 significant bits of each number. */
const stored = 3e-4;
const near = (a: Float32Array, b: Float32Array): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i]!)));

test.each([3, 64, 100, 384, 1536])(
  'inverts a map of %i dimensions, but only with the same map',
  (dimension) => {
    const map = accountMap(randomBytes(32), dimension);
    const vector = random(dimension);
    expect(near(map.invert(map.apply(vector)), vector)).toBeLessThan(1e-5);
    expect(near(accountMap(randomBytes(32), dimension).invert(map.apply(vector)), vector)).toBeGreaterThan(
      1e-3,
    );
  },
);

describe.each(databases)('on $name', ({ create }) => {
  let opened: TestDb;
  beforeAll(async () => {
    opened = await create();
  });
  afterAll(() => opened?.drop());

  test('exports vectors without the map, in chunk order and of one model', async () => {
    const { db } = opened;
    const accountId = randomBytes(32);
    const map = accountMap(randomBytes(32), 64);
    const [id, other] = ['7c0e1a52-1111-4111-8111-111111111111', '7c0e1a52-2222-4222-8222-222222222222'];
    const chunks = [random(64), random(64)];
    const insert = (memory: string, model: string, no: number, keyId: number, stored: Float32Array) =>
      db.query(
        `INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
         VALUES ($1, 'n', $2, $3, $4, $5, $6::vector, binary_quantize($6::vector))`,
        [accountId, model, memory, no, keyId, encodeVector(stored)],
      );
    await insert(id, 'm', 1, vectorKeyId, map.apply(chunks[1]!));
    await insert(id, 'm', 0, vectorKeyId, map.apply(chunks[0]!));
    await insert(id, 'older', 0, vectorKeyId, map.apply(random(64)));
    await insert(other, 'm', 0, 0, chunks[0]!);
    const exported = await readBareVectors(db, map, accountId, [id, other], 'm');
    const numbers = (text: string): Float32Array =>
      new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
    expect(exported.get(id)!.values.map((value, i) => near(numbers(value), chunks[i]!) < stored)).toEqual([
      true,
      true,
    ]);
    expect(near(numbers(exported.get(other)!.values[0]!), chunks[0]!)).toBeLessThan(stored);
    // And imported through the map of another account
    const there = accountMap(randomBytes(32), 64);
    const joined = mappedVectors(there, 64, exported.get(id)!.values, 'vectors');
    const first = new Float32Array(Uint8Array.from(joined.subarray(0, 256)).buffer);
    expect(near(first, there.apply(chunks[0]!))).toBeLessThan(stored);
  });
});

test.each(['AAAA', Buffer.alloc(4 * 63).toString('base64'), Buffer.alloc(4 * 64, 0xff).toString('base64')])(
  'rejects a wrong number of values, or none',
  (text) => {
    const map = accountMap(randomBytes(32), 64);
    expect(() => mappedVectors(map, 64, [text], 'vectors')).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  },
);
