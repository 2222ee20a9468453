import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  decodeCenter,
  dot,
  encodeCenter,
  leastSimilarity,
  relatedness,
} from '../../src/index/embedding/centers.ts';
import { normalize } from '../../src/index/embedding/embedder.ts';
import { centersOf } from '../../src/index/embedding/local/known-centers.ts';
import { isSure, matchReason } from '../../src/memories/recall/matching.ts';
import { withRelatedness } from '../../src/memories/recall/relatedness.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { accountVectors, lexical } from '../support/index-parts.ts';
import { insertMemories } from '../support/indexed-memories.ts';
import { sampleMatch } from '../support/sample-match.ts';

const random = (length: number): Float32Array =>
  normalize(Float32Array.from({ length }, () => Math.random() - 0.5));

describe.each(databases)('on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());

  test('is computed from the stored vectors, for the matches above the minimum similarity', async () => {
    const where = { accountId: randomBytes(32), namespace: 'default' };
    const owner = [where.accountId];
    const texts = ['Ana likes her tea with lemon', 'The harbour opens at dawn', 'Bo bakes bread'];
    const ids = await insertMemories(database.db, where, texts);
    const [question, ...vectors] = await Promise.all(
      ['how does Ana like tea?', ...texts].map(async (text) => (await lexical.embed([text], owner))[0]!),
    );
    const map = accountVectors.mapOf(where.accountId);
    const centers = { questions: random(lexical.dimension), texts: random(lexical.dimension), least: 0 };
    const similarities = vectors.map((vector) => dot(question!, vector));
    const matches = ids.map((id, i) => sampleMatch(id, { distance: 1 - similarities[i]! }));
    matches.push(sampleMatch(ids[0]!, { distance: 0, stale: true }));
    const minScore = similarities.toSorted((a, b) => b - a)[1]! + 0.001;
    const query = { accountId: where.accountId, model: lexical.model, vector: map.apply(question!) };
    const embedder = { model: lexical.model, minScore, centers };
    const [tea, ...others] = await withRelatedness(database.db, query, matches, embedder, map);
    const expected = relatedness(centers, question!, similarities[0]!, dot(vectors[0]!, centers.questions));
    expect(tea!.relatedness).toBeCloseTo(expected, 2);
    for (const other of others) expect(other).not.toHaveProperty('relatedness');
    for (const unchanged of [
      { ...embedder, centers: undefined },
      { ...embedder, model: 'another' },
    ])
      expect(await withRelatedness(database.db, query, matches, unchanged, map)).toEqual(matches);
    // Another account's vectors are never read
    const stranger = { ...query, accountId: randomBytes(32) };
    expect(await withRelatedness(database.db, stranger, matches, embedder, map)).toEqual(matches);
  });
});

test('is the inner product of what differs from the means', () => {
  const [question, text, questions, texts] = Array.from({ length: 4 }, () => random(64));
  const minus = (one: Float32Array, other: Float32Array) => one.map((value, i) => value - other[i]!);
  const centers = { questions: questions!, texts: texts!, least: 0.04 };
  expect(relatedness(centers, question!, dot(question!, text!), dot(text!, questions!))).toBeCloseTo(
    dot(minus(question!, questions!), minus(text!, texts!)),
    5,
  );
  // An average text at this similarity is as related as required
  const average = leastSimilarity(centers, question!);
  expect(relatedness(centers, question!, average, dot(questions!, texts!))).toBeCloseTo(0.04, 5);
});

test('of known weights has means that are shorter than a unit vector, and that survive their encoding', () => {
  const centers = centersOf('7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded')!;
  for (const center of [centers.questions, centers.texts]) {
    expect(center.length).toBe(384);
    expect(dot(center, center)).toBeGreaterThan(0.6);
    expect(dot(center, center)).toBeLessThan(0.9);
    expect(decodeCenter(encodeCenter(center))).toEqual(center);
  }
  expect(centersOf('0'.repeat(64))).toBeUndefined();
});

test('decides instead of the similarity whether a memory matches by meaning', () => {
  const centers = { questions: new Float32Array(1), texts: new Float32Array(1), least: 0.04 };
  const embedder = { minScore: 0.72, mock: false, centers };
  const found = (more: object, context?: number) => ({
    match: sampleMatch('a', { distance: 0.2, ...more }),
    explanation: { vector: { score: 0.8 }, vector_share: 1, ...(context ? { context } : {}) },
    share: 1,
    score: 1,
  });
  expect(matchReason(found({ relatedness: 0.05 }), embedder)).toBe('meaning');
  expect(matchReason(found({ relatedness: 0.03 }), embedder)).toBeUndefined();
  expect(matchReason(found({}), embedder)).toBeUndefined();
  expect(matchReason(found({ relatedness: 0.03 }, 0.5), embedder)).toBe('context');
  expect(isSure(found({ relatedness: 0.03 }), embedder)).toBe(false);
  expect(matchReason(found({}), { ...embedder, centers: undefined })).toBe('meaning');
});
