import { createHash } from 'node:crypto';
import { openSearchIndex, type Place, type SearchIndex } from '@memrelay/dev-env/search-index';
import { startPostgres } from '@memrelay/dev-env/services/postgres';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import type { Bench, Measurement } from '../report.ts';
import { question, sentence, tellingsOfAFact } from '../sentences.ts';
import { measure } from '../statistics.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';

const limit = 10;
const searches = 100;
const dimension = 1536;
const neighbours = 2_000;
const memoriesOfANeighbour = 5;

/** An owner with so many memories; those beyond `told` are copies of them. */
interface OwnerSet {
  memories: number;
  told: number;
  place: Place;
}

const sets: OwnerSet[] = [1, 100, 10_000, 100_000].map((memories) => ({
  memories,
  told: Math.min(memories, 10_000),
  place: { accountId: ownerId(`owner of ${memories}`), namespace: 'default' },
}));

export const searchBench: Bench = {
  name: 'search',
  about: `the search step of a recall, by vector (${dimension} dimensions) and words, ${limit} hits`,
  async run(progress) {
    const postgres = await startPostgres();
    try {
      const { url } = await createTestDatabase(postgres.url);
      const index = await openSearchIndex(url, lexical);
      try {
        progress(`storing ${neighbours} neighbours`);
        await addNeighbours(index);
        const measurements: Measurement[] = [];
        for (const set of sets) {
          progress(`storing ${set.memories} memories of one owner`);
          await fill(index, set);
          progress(`searching ${set.memories} memories`);
          measurements.push(await measureSet(index, set));
        }
        return { measurements, notes };
      } finally {
        await index.close();
      }
    } finally {
      await postgres.stop();
    }
  },
};

const lexical = {
  apiKey: undefined,
  baseUrl: '',
  model: '',
  dimension,
  cacheTtlSeconds: 0,
  allowMock: true,
};

const notes = [
  `All owners share the tables with ${neighbours} others of ${memoriesOfANeighbour} memories each, in namespaces of the same name.`,
  'Sentences are synthetic, ten tellings of each fact: vectors stand in clusters, and the words of a question in up to a tenth of the texts, which is hard on the index of words. Of 100,000 memories 90,000 are copies.',
  'Share of the exact: of the ten best by comparing every vector, how many the shortlist finds, or others of the same score.',
  'Without HTTP, keys and decryption: `recall` measures all of it.',
];

function ownerId(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}

async function addNeighbours(index: SearchIndex): Promise<void> {
  for (let i = 0; i < neighbours; i++) {
    const place = { accountId: ownerId(`neighbour ${i}`), namespace: 'default' };
    await index.add(
      place,
      Array.from({ length: memoriesOfANeighbour }, (_, telling) => sentence(i % 1_000, telling)),
    );
  }
}

async function fill({ add, db }: SearchIndex, { place, memories, told }: OwnerSet): Promise<void> {
  await add(
    place,
    Array.from({ length: told }, (_, i) => sentence(Math.floor(i / tellingsOfAFact), i % tellingsOfAFact)),
  );
  const columns =
    'namespace, state, blob_id, envelope_sha256, size, tokens, tokens_twice, tokens_often, length_bucket';
  for (let copied = told; copied < memories; copied += told)
    await db.query(
      `WITH original AS (
         SELECT *, gen_random_uuid() AS copy FROM memory WHERE account_id = $1 AND importance = 0.5),
       copies AS (
         INSERT INTO memory (account_id, id, importance, ${columns})
         SELECT account_id, copy, 0.4, ${columns} FROM original)
       INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
       SELECT v.account_id, v.namespace, embedding_model, copy, chunk_no, vector_key_id, embedding, code
       FROM original JOIN memory_vector v ON v.account_id = $1 AND v.memory_id = original.id`,
      [place.accountId],
    );
  for (const table of ['memory', 'memory_vector']) await db.query(`VACUUM ANALYZE ${table}`);
  // What was written is on disk before anything is measured
  await db.query('CHECKPOINT');
}

async function measureSet(index: SearchIndex, { place, memories, told }: OwnerSet): Promise<Measurement> {
  const facts = Math.ceil(told / tellingsOfAFact);
  const expected = Math.min(limit, memories);
  const search = async (i: number): Promise<void> => {
    const found = await index.search(place, question((i * 7) % facts), limit);
    if (found.slice(0, limit).length !== expected)
      throw new Error(`${found.length} of ${expected} memories were found`);
  };
  await measure(20, 1, search);
  const before = cpuSoFar();
  const timing = await measure(searches, 1, search);
  const cpuMs = cpuSince(before, searches);
  return {
    what: `${memories} memories`,
    timing,
    cpuMs,
    more: { 'share of the exact': await shareOfExact(index, place, facts) },
  };
}

async function shareOfExact(index: SearchIndex, place: Place, facts: number): Promise<number> {
  let [found, wanted] = [0, 0];
  for (let i = 0; i < 40; i++) {
    const asked = question((i * 7) % facts);
    const exact = (await index.search(place, asked, limit, 'every')).slice(0, limit);
    const least = exact.at(-1)!.score - 1e-6;
    const near = (await index.search(place, asked, limit)).slice(0, limit);
    wanted += exact.length;
    found += near.filter(({ score }) => score >= least).length;
  }
  return Number((found / wanted).toFixed(4));
}
