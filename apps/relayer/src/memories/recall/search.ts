import type { Db } from '../../base/db/db.ts';
import { encodeVector, signBits } from '../../base/db/vector.ts';
import { tokenList } from '../../index/keyword-columns.ts';
import { type Collection, lengthOf } from '../../index/keywords/bm25.ts';
import type { Question } from '../../index/keywords/question.ts';
import type { Match } from '../reading/match.ts';
import { staleInNamespace } from '../reindex/stale-rows.ts';
import { searchSql } from './search-sql.ts';

export interface SearchResult {
  /** The nearest, at most as many with the question's words, and no others; by distance */
  matches: Match[];
  /** In how many texts each term of the question, then each related one, stands; about, where there are thousands */
  documents: readonly number[];
}

export interface SearchQuery {
  accountId: Buffer;
  namespace: string;
  model: string;
  /** Unit vector, through the account's map */
  vector: Float32Array;
  /** Tokens of the question's terms; with none the vector alone decides */
  question: Question<bigint>;
  /** The nearest that are asked for */
  limit: number;
  includePending: boolean;
}

/** What decides how a namespace is searched. */
export interface NamespaceSize extends Collection {
  /** At most `exactUpTo` and one more */
  vectors: number;
  /** Memories whose vectors are of another model alone: their words find them */
  stale: number;
}

/** At least so many candidates of each leg: the range of their scores is what the legs are scaled by (fusion.ts). */
export const leastCandidates = 40;

/** From this many vectors in a namespace the sign bits make a shortlist first (design.md, "Index"). */
const exactUpTo = 4_000;
/**
 * Rows of the shortlist that are compared exactly. 100 found all of the nearest ten in every measured set (20,000
 * random, 10,000 and 100,000 synthetic and 2,000 real sentences), eight a hit all but one in 300 of the nearest fifty.
 */
const shortlist = (limit: number): number => Math.max(120, limit * 8);
/** A shortlist that the many pieces of few long memories have filled is made so many times longer, once. */
const longer = 16;

/**
 * Texts that are read for each of so many terms: 1,200 in all (1 ms), at least 100 each. A term of more texts tells
 * little; which of them are wanted, the rarer ones and the vector say.
 */
const postings = (terms: number): number => Math.max(100, Math.floor(1_200 / terms));

interface MatchRow {
  id: string;
  distance: number;
  near: boolean;
  stale?: boolean;
  steps?: number[] | null;
  length_bucket?: number | null;
  documents?: number[] | null;
  state: Match['state'];
  blob_id: string | null;
  envelope_id: Buffer | null;
  envelope_sha256: Buffer;
  size: number;
  importance: number;
  created_at: Date;
  superseded_by: string | null;
}

const prepared = { prepared: true };

/** The memories of one namespace of one account that are nearest to the vector or have the tokens, in one round trip as a rule. */
export async function searchMemories(
  db: Db,
  query: SearchQuery,
  { vectors, texts, meanLength }: NamespaceSize,
): Promise<SearchResult> {
  if (vectors <= exactUpTo)
    return run(db, searchSql.exact, query, shortlist(query.limit), { texts, meanLength });
  for (const rows of [shortlist(query.limit), longer * shortlist(query.limit)]) {
    const result = await run(db, searchSql.shortlist, query, rows, { texts, meanLength });
    if (result.matches.filter(({ near }) => near).length >= query.limit) return result;
  }
  return run(db, searchSql.exact, query, shortlist(query.limit), { texts, meanLength });
}

async function run(
  db: Db,
  statements: (typeof searchSql)['exact' | 'shortlist'],
  query: SearchQuery,
  shortlistRows: number,
  { texts, meanLength }: Collection,
): Promise<SearchResult> {
  const { terms, related } = query.question;
  const hasWords = terms.length > 0;
  const parameters = [
    query.accountId,
    query.namespace,
    query.model,
    encodeVector(query.vector),
    hasWords ? Math.max(query.limit, leastCandidates) : query.limit,
    query.includePending,
    shortlistRows,
    signBits(query.vector),
  ];
  const { rows } = await (hasWords
    ? db.query<MatchRow>(
        statements.byBoth,
        [
          ...parameters,
          tokenList([...terms, ...related.map(({ term }) => term)]),
          texts,
          meanLength,
          postings(terms.length),
          `{${[...terms.keys(), ...related.map(({ of }) => of)].join()}}`,
        ],
        prepared,
      )
    : db.query<MatchRow>(statements.byVector, parameters, prepared));
  return { matches: rows.map(matchOf), documents: rows[0]?.documents ?? [] };
}

function matchOf(row: MatchRow): Match {
  return {
    id: row.id,
    distance: row.distance,
    near: row.near,
    ...(row.stale ? { stale: true as const } : {}),
    ...(row.steps ? { words: { steps: row.steps, lengthBucket: row.length_bucket ?? 0 } } : {}),
    state: row.state,
    blobId: row.blob_id ?? undefined,
    envelopeId: row.envelope_id ?? undefined,
    envelopeSha256: row.envelope_sha256,
    size: row.size,
    importance: row.importance,
    createdAt: row.created_at,
    supersededBy: row.superseded_by ?? undefined,
  };
}

/** How long texts are is judged from so many of the newest. */
const lengthsRead = 1_000;

/** Vectors and texts of one namespace. */
export async function readNamespaceSize(
  db: Db,
  accountId: Buffer,
  namespace: string,
  model: string,
): Promise<NamespaceSize> {
  const { rows } = await db.query<{
    vectors: number;
    stale: number;
    texts: number;
    mean_length: number | null;
  }>(
    `SELECT
       (SELECT count(*)::int FROM (
         SELECT 1 FROM memory_vector WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3
         LIMIT ${exactUpTo + 1}) counted) AS vectors,
       ${staleInNamespace} AS stale,
       (SELECT count(*)::int FROM memory WHERE account_id = $1 AND namespace = $2 AND state <> 'failed') AS texts,
       (SELECT avg(${lengthOf(0)} * 2 ^ length_bucket)::float8 FROM (
         SELECT length_bucket FROM memory WHERE account_id = $1 AND namespace = $2 AND state <> 'failed'
         ORDER BY created_at DESC, id DESC LIMIT ${lengthsRead}) newest) AS mean_length`,
    [accountId, namespace, model],
  );
  const { vectors, stale, texts, mean_length } = rows[0]!;
  return { vectors, stale, texts, meanLength: mean_length ?? lengthOf(0) };
}
