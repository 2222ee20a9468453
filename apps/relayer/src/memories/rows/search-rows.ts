import { type Collection, lengthOf } from '@memrelay/text-index/bm25';
import { type Question, searchedTerms } from '@memrelay/text-index/question';
import type { Db } from '../../base/db/db.ts';
import { encodeVector, signBits } from '../../base/db/vector.ts';
import type { TagTokens } from '../../index/context-tokens.ts';
import { tokenList } from '../../index/keyword-columns.ts';
import { vectorsOf } from '../../index/vector-rows.ts';
import { type MemoryColumns, memoryFields } from '../../jobs/rows/memory-fields.ts';
import type { Match } from './match.ts';
import { type FieldColumns, fieldsOf } from './match-fields.ts';
import { searchGiven, searchSql, searchWith } from './search-sql.ts';
import { staleInNamespace } from './stale-rows.ts';
import { tagFilterSql } from './tag-filter.ts';

export interface SearchResult {
  /** The nearest memories, and at most as many that contain the question's words; by distance */
  matches: Match[];
  /** Number of texts that contain each term of the question, then each related one; approximate above thousands */
  documents: readonly number[];
  /** False if the namespace certainly has no lost memories, so that `lostMatches` would find none */
  mayHaveLost: boolean;
}

export interface SearchQuery {
  accountId: Buffer;
  namespace: string;
  model: string;
  /** Unit vector, through the account's map */
  vector: Float32Array;
  /** Tokens of the question's terms; without any, only the vector decides */
  question: Question<bigint>;
  /** Number of nearest memories to return */
  limit: number;
  includePending: boolean;
  /** Only memories whose tags pass */
  tags?: TagTokens | undefined;
}

/** What decides how a namespace is searched. */
export interface NamespaceSize extends Collection {
  /** At most `countedUpTo` */
  vectors: number;
  /** Memories that only have vectors of other models: keywords find them */
  stale: number;
  /** Tokens in many texts with the number of texts, by a former search, which adds to it */
  commonTokens?: Map<bigint, number>;
}

/** Minimum number of candidates of each search: the range of their scores scales the search (fusion.ts). */
export const leastCandidates = 40;

/**
 * Vectors that are compared exactly, chosen by their sign bits (design.md, "Index"): all of a small namespace. For
 * questions about 9,000 real sentences, 150 contain all of the nearest ten (120: 0.9994) and 0.985 of the nearest forty.
 */
const shortlist = (limit: number): number => Math.max(150, limit * 8);
/** Maximum number of vectors that are counted in a namespace; a larger number does not change how it is searched. */
const countedUpTo = 4_000;
/** Factor by which a shortlist is widened, once, if the chunks of a few long memories have filled it. */
const longer = 16;
/** Numbers of vectors to compare exactly, one after the other until enough memories are found */
export const shortlists = (limit: number): number[] => [shortlist(limit), longer * shortlist(limit)];

/**
 * Texts that are read for each of this many terms: 1,200 in all (1 ms), at least 100 each. A term in more texts says
 * little; the rarer terms and the vector decide between them.
 */
export const postingsRead = (terms: number): number => Math.max(100, Math.floor(1_200 / terms));

export interface MatchRow
  extends FieldColumns,
    MemoryColumns<
      'id' | 'blob_id' | 'envelope_id' | 'envelope_sha256' | 'size' | 'importance' | 'created_at'
    > {
  distance: number;
  near: boolean;
  stale?: boolean;
  steps?: string | null;
  length_bucket?: number | null;
  documents?: string | null;
  state: Match['state'];
  superseded_by: string | null;
  has_lost?: boolean;
}

/** Maximum number of common tokens that are known of one namespace */
const maxCommonTokens = 200;

const prepared = { prepared: true };

/** Pieces of memories to compare exactly, chosen elsewhere. */
export interface GivenPieces {
  shortlist(rows: number): Promise<Pieces>;
}

type Pieces = readonly { memoryId: string; chunkNo: number }[];
const isGiven = (shortlist: Pieces | number | null): shortlist is Pieces =>
  typeof shortlist === 'object' && shortlist !== null;

/**
 * Returns the memories of one namespace that are nearest to the vector or contain the tokens, usually in one round
 * trip. `given`: chooses the vectors to compare, in place of the tables.
 */
export async function searchMemories(
  db: Db,
  query: SearchQuery,
  size: NamespaceSize,
  given?: GivenPieces,
): Promise<SearchResult> {
  for (const rows of shortlists(query.limit)) {
    const pieces = await given?.shortlist(rows);
    const result = await run(db, query, pieces ?? rows, size);
    const near = result.matches.filter(({ near }) => near).length;
    const isAll = pieces ? pieces.length < rows : size.vectors <= rows && size.vectors < countedUpTo;
    if (near >= query.limit || isAll) return result;
  }
  return searchEvery(db, query, size);
}

/** As `searchMemories`, but compares every vector exactly. */
export function searchEvery(
  db: Db,
  query: SearchQuery,
  collection: Collection & Pick<NamespaceSize, 'commonTokens'>,
): Promise<SearchResult> {
  return run(db, query, null, collection);
}

async function run(
  db: Db,
  query: SearchQuery,
  shortlist: Pieces | number | null,
  { texts, meanLength, commonTokens = new Map() }: Collection & Pick<NamespaceSize, 'commonTokens'>,
): Promise<SearchResult> {
  const { terms, forms, related } = query.question;
  const hasWords = terms.length > 0;
  const tokens = searchedTerms(query.question);
  const rowsEach = postingsRead(terms.length);
  // What is common in a question of many terms may be rare in one of few
  const known = tokens
    .map((token) => commonTokens.get(token))
    .map((count) => (!query.tags && count! >= rowsEach ? count : undefined));
  const parameters = [
    query.accountId,
    query.namespace,
    query.model,
    encodeVector(query.vector),
    hasWords ? Math.max(query.limit, leastCandidates) : query.limit,
    query.includePending,
    ...(isGiven(shortlist)
      ? [listOf(shortlist.map(({ chunkNo }) => chunkNo)), listOf(shortlist.map(({ memoryId }) => memoryId))]
      : [shortlist, signBits(query.vector)]),
  ];
  const sql = sqlFor(query, texts, isGiven(shortlist));
  const mode = query.tags ? {} : prepared;
  const { rows } = await (hasWords
    ? db.query<MatchRow>(
        sql.byBoth,
        [
          ...parameters,
          tokenList(tokens),
          texts,
          meanLength,
          rowsEach,
          `{${[...terms.keys(), ...[...forms, ...related].map(({ of }) => of)].join()}}`,
          `{${known.map((count) => count ?? 'NULL').join()}}`,
        ],
        mode,
      )
    : db.query<MatchRow>(sql.byVector, parameters, mode));
  const documents = rows[0]?.documents?.split(',').map(Number) ?? [];
  for (const [i, count] of documents.entries())
    if (!query.tags && count >= rowsEach && commonTokens.size < maxCommonTokens)
      commonTokens.set(tokens[i]!, count);
  return { matches: rows.map(matchOf), documents, mayHaveLost: rows[0]?.has_lost ?? true };
}

function sqlFor({ tags }: SearchQuery, texts: number, given: boolean): ReturnType<typeof searchWith> {
  if (tags) return searchWith(tagFilterSql(tags, texts));
  return given ? searchGiven : searchSql;
}

const listOf = (values: readonly (string | number)[]): string => `{${values.join()}}`;

function digitsOf(text: string): number[] {
  const digits = new Array<number>(text.length);
  for (let i = 0; i < text.length; i++) digits[i] = text.charCodeAt(i) - 48;
  return digits;
}

export function matchOf(row: MatchRow): Match {
  return {
    ...memoryFields(row),
    // Rounded to 16 bits, a vector may be a little longer than 1
    distance: Math.max(0, row.distance),
    near: row.near,
    ...(row.stale ? { stale: true as const } : {}),
    ...(row.steps ? { words: { steps: digitsOf(row.steps), lengthBucket: row.length_bucket ?? 0 } } : {}),
    state: row.state,
    supersededBy: row.superseded_by ?? undefined,
    ...fieldsOf(row),
  };
}

/**
 * Which of these tokens the texts of a namespace contain. Looks up each token in the index: a planner that compares whole
 * arrays instead reads all rows.
 */
export async function tokensInUse(
  db: Db,
  accountId: Buffer,
  namespace: string,
  tokens: readonly bigint[],
): Promise<Set<bigint>> {
  const { rows } = await db.query<{ token: string }>(
    searchSql.tokensInUse,
    [accountId, namespace, tokenList(tokens)],
    prepared,
  );
  return new Set(rows.map(({ token }) => BigInt(token)));
}

/** The mean length is estimated from this many of the newest texts. */
const lengthsRead = 1_000;

/** Counts vectors and texts of one namespace. */
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
         SELECT 1 FROM memory_vector WHERE ${vectorsOf('namespace = $2 AND embedding_model = $3')}
         LIMIT ${countedUpTo}) counted) AS vectors,
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

/** Whether a namespace has any vector of this model, read now: `NamespaceSizes` may be some seconds old. */
export async function hasVectors(
  db: Db,
  accountId: Buffer,
  namespace: string,
  model: string,
): Promise<boolean> {
  const { rows } = await db.query(
    `SELECT 1 FROM memory_vector WHERE ${vectorsOf('namespace = $2 AND embedding_model = $3')} LIMIT 1`,
    [accountId, namespace, model],
  );
  return rows.length > 0;
}

export interface LostQuery {
  accountId: Buffer;
  namespace: string;
  model: string;
  vector: Float32Array;
  tokens: readonly bigint[];
  minScore: number;
  limit: number;
}

/** Distances of the lost memories that contain one of the tokens or have a similarity above `minScore`, smallest first. */
export async function lostMatches(db: Db, query: LostQuery): Promise<number[]> {
  const { rows } = await db.query<{ distance: number }>(
    `SELECT distance FROM (
       SELECT memory_id, min(1 + (embedding <#> (SELECT $4::vector::halfvec))) AS distance FROM lost_vector
       WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3
       GROUP BY memory_id) AS lost
     WHERE 1 - distance > $6 OR EXISTS (
       SELECT 1 FROM memory
       WHERE account_id = $1 AND id = lost.memory_id AND tokens && (SELECT $7::text::bigint[])::bigint[])
     ORDER BY distance LIMIT $5`,
    [
      query.accountId,
      query.namespace,
      query.model,
      encodeVector(query.vector),
      query.limit,
      query.minScore,
      tokenList(query.tokens),
    ],
  );
  return rows.map(({ distance }) => distance);
}
