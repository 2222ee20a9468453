import { createHash } from 'node:crypto';
import { type AccountNamespace, openSearchIndex, type SearchIndex } from '@memrelay/dev-env/search-index';
import { startPostgres } from '@memrelay/dev-env/services/postgres';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import type { Bench, Measurement } from '../base/report.ts';
import { question, sentence, tellingsOfAFact } from '../base/sentences.ts';
import { measure } from '../base/statistics.ts';
import { realSentences } from '../seed/real-sentences.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';

const limit = 10;
const searches = 100;
const sharesAsked = 100;
const dimension = 1536;
const neighbours = 2_000;
const memoriesOfANeighbour = 5;

/** An owner with so many memories; those beyond what is told are copies of it. */
interface OwnerSet {
  what: string;
  memories: number;
  told: readonly string[];
  questionNo(i: number): string;
  place: AccountNamespace;
}

const synthetic = [1, 100, 10_000, 100_000].map((memories): OwnerSet => {
  const told = Math.min(memories, 10_000);
  const facts = Math.ceil(told / tellingsOfAFact);
  return {
    what: `${memories} memories`,
    memories,
    told: Array.from({ length: told }, (_, i) =>
      sentence(Math.floor(i / tellingsOfAFact), i % tellingsOfAFact),
    ),
    questionNo: (i) => question((i * 7) % facts),
    place: namespaceOf(`owner of ${memories}`),
  };
});

async function real(): Promise<OwnerSet> {
  const { told, asked } = await realSentences();
  return {
    what: `${told.length} real sentences`,
    memories: told.length,
    told,
    questionNo: (i) => asked[i % asked.length]!,
    place: namespaceOf('owner of real sentences'),
  };
}

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
        for (const set of [...synthetic, await real()]) {
          progress(`storing ${set.what} of one owner`);
          await fill(index, set);
          progress(`searching ${set.what}`);
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
  'Real sentences are those of the documentation of the installed packages; each question is a sentence of the same texts that was not stored.',
  'Share of the exact: of the ten best by comparing every vector, how many the shortlist finds, or others of the same score.',
  'Without HTTP, keys and decryption: `recall` measures all of it.',
];

function namespaceOf(owner: string): AccountNamespace {
  return { accountId: createHash('sha256').update(owner).digest(), namespace: 'default' };
}

async function addNeighbours(index: SearchIndex): Promise<void> {
  for (let i = 0; i < neighbours; i++) {
    await index.add(
      namespaceOf(`neighbour ${i}`),
      Array.from({ length: memoriesOfANeighbour }, (_, telling) => sentence(i % 1_000, telling)),
    );
  }
}

async function fill({ add, db }: SearchIndex, { place, memories, told }: OwnerSet): Promise<void> {
  await add(place, told);
  const columns =
    'namespace, state, blob_id, envelope_sha256, size, tokens, tokens_twice, tokens_often, length_bucket';
  for (let copied = told.length; copied < memories; copied += told.length)
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

async function measureSet(index: SearchIndex, set: OwnerSet): Promise<Measurement> {
  const expected = Math.min(limit, set.memories);
  const search = async (i: number): Promise<void> => {
    const found = await index.search(set.place, set.questionNo(i), limit);
    if (found.slice(0, limit).length !== expected)
      throw new Error(`${found.length} of ${expected} memories were found`);
  };
  await measure(20, 1, search);
  const before = cpuSoFar();
  const timing = await measure(searches, 1, search);
  const cpuMs = cpuSince(before, searches);
  return {
    what: set.what,
    timing,
    cpuMs,
    more: { 'share of the exact': await shareOfExact(index, set) },
  };
}

async function shareOfExact(index: SearchIndex, { place, questionNo }: OwnerSet): Promise<number> {
  let [found, wanted] = [0, 0];
  for (let i = 0; i < sharesAsked; i++) {
    const asked = questionNo(i);
    const exact = (await index.search(place, asked, limit, 'every')).slice(0, limit);
    const least = exact.at(-1)!.score - 1e-6;
    const ids = new Set(exact.map(({ match }) => match.id));
    const near = (await index.search(place, asked, limit)).slice(0, limit);
    wanted += exact.length;
    found += near.filter(({ match, score }) => ids.has(match.id) || score >= least).length;
  }
  return Number((found / wanted).toFixed(4));
}
