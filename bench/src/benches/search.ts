import { createHash } from 'node:crypto';
import { type AccountNamespace, openSearchIndex, type SearchIndex } from '@memrelay/dev-env/search-index';
import { startPostgres } from '@memrelay/dev-env/services/postgres';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import type { Bench, Measurement } from '../base/report.ts';
import { question, sentence, wordingsPerFact } from '../base/sentences.ts';
import { measure } from '../base/statistics.ts';
import { realSentences } from '../seed/real-sentences.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';

const limit = 10;
const searches = 100;
const sharesAsked = 100;
const dimension = 1536;
const neighbours = 2_000;
const memoriesOfANeighbour = 5;
/** Smaller namespaces are not worth comparing */
const fewestInMemory = 1_000;

/** An owner with this many memories; beyond `original`, they are copies. */
interface OwnerSet {
  what: string;
  memories: number;
  originals: readonly string[];
  questionNo(i: number): string;
  namespace: AccountNamespace;
}

const synthetic = [1, 100, 10_000, 100_000].map((memories): OwnerSet => {
  const originals = Math.min(memories, 10_000);
  const facts = Math.ceil(originals / wordingsPerFact);
  return {
    what: `${memories} memories`,
    memories,
    originals: Array.from({ length: originals }, (_, i) =>
      sentence(Math.floor(i / wordingsPerFact), i % wordingsPerFact),
    ),
    questionNo: (i) => question((i * 7) % facts),
    namespace: namespaceOf(`owner of ${memories}`),
  };
});

async function real(): Promise<OwnerSet> {
  const { originals, asked: questions } = await realSentences();
  return {
    what: `${originals.length} real sentences`,
    memories: originals.length,
    originals,
    questionNo: (i) => questions[i % questions.length]!,
    namespace: namespaceOf('owner of real sentences'),
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
          if (set.memories < fewestInMemory) continue;
          progress(`searching ${set.what} in memory`);
          await index.load(set.namespace, set.questionNo(0));
          measurements.push(await measureSet(index, set, 'memory'));
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
  'Sentences are synthetic, ten wordings of each fact: vectors form clusters, and the words of a question are in up to a tenth of the texts, which is hard on the keyword index. Of 100,000 memories 90,000 are copies.',
  'Real sentences come from the documentation of the installed packages; each question is a sentence of the same texts that was not stored.',
  'Share of the exact: how many of the ten best by comparing every vector are found by the shortlist, or others of the same score.',
  'Without HTTP, keys and decryption: `recall` measures the whole.',
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

async function fill({ add, db }: SearchIndex, { namespace, memories, originals }: OwnerSet): Promise<void> {
  await add(namespace, originals);
  const columns =
    'namespace, state, blob_id, envelope_sha256, size, tokens, tokens_twice, tokens_often, length_bucket';
  for (let copied = originals.length; copied < memories; copied += originals.length)
    await db.query(
      `WITH original AS (
         SELECT *, gen_random_uuid() AS copy FROM memory WHERE account_id = $1 AND importance = 0.5),
       copies AS (
         INSERT INTO memory (account_id, id, importance, ${columns})
         SELECT account_id, copy, 0.4, ${columns} FROM original)
       INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
       SELECT v.account_id, v.namespace, embedding_model, copy, chunk_no, vector_key_id, embedding, code
       FROM original JOIN memory_vector v ON v.account_id = $1 AND v.memory_id = original.id`,
      [namespace.accountId],
    );
  for (const table of ['memory', 'memory_vector']) await db.query(`VACUUM ANALYZE ${table}`);
  // Written data is flushed to disk before anything is measured
  await db.query('CHECKPOINT');
}

async function measureSet(index: SearchIndex, set: OwnerSet, compare?: 'memory'): Promise<Measurement> {
  const expected = Math.min(limit, set.memories);
  const search = async (i: number): Promise<void> => {
    const found = await index.search(set.namespace, set.questionNo(i), limit, { compare });
    if (found.slice(0, limit).length !== expected)
      throw new Error(`${found.length} of ${expected} memories were found`);
  };
  await measure(20, 1, search);
  const before = cpuSoFar();
  const timing = await measure(searches, 1, search);
  const cpuMs = cpuSince(before, searches);
  return {
    what: compare ? `${set.what}, in memory` : set.what,
    timing,
    cpuMs,
    more: { 'share of the exact': await shareOfExact(index, set, compare) },
  };
}

async function shareOfExact(
  index: SearchIndex,
  { namespace, questionNo }: OwnerSet,
  compare?: 'memory',
): Promise<number> {
  let [found, wanted] = [0, 0];
  for (let i = 0; i < sharesAsked; i++) {
    const text = questionNo(i);
    const exact = (await index.search(namespace, text, limit, { compare: 'every' })).slice(0, limit);
    const least = exact.at(-1)!.score - 1e-6;
    const ids = new Set(exact.map(({ match }) => match.id));
    const near = (await index.search(namespace, text, limit, { compare })).slice(0, limit);
    wanted += exact.length;
    found += near.filter(({ match, score }) => ids.has(match.id) || score >= least).length;
  }
  return Number((found / wanted).toFixed(4));
}
