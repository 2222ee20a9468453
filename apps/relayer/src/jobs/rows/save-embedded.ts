import type { Db, SqlValue } from '../../base/db/db.ts';
import { placeholdersIn } from '../../base/db/placeholders.ts';
import { preparedRows } from '../../base/db/row-counts.ts';
import { contextColumns } from '../../index/context-tokens.ts';
import type { IndexData } from '../../index/index-data.ts';
import { addKeywords, keywordColumns } from '../../index/keyword-columns.ts';
import type { BlindEntry } from '../../index/keywords/blind-index.ts';
import { pieceRows, vectorColumns } from '../../index/vector-rows.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import type { NearDuplicate } from './near-duplicate-rows.ts';

/** A job with the index data of its text. */
export interface EmbeddedJob {
  job: ClaimedJob;
  data: IndexData;
  near?: NearDuplicate | undefined;
}

/** Vectors in one statement: 1.5 MiB of 1536 dimensions. A longer text gets a statement of its own. */
const vectorsAtOnce = 256;

/** Columns of `given`, without its keywords, and of `piece` */
const givenTypes = ['uuid', 'uuid', 'text', 'smallint', 'uuid', 'real'];
const pieceTypes = ['uuid', 'smallint', 'vector'];

/**
 * Makes the memories visible as pending, saves their index data and wipes the sealed texts, in one statement for many jobs
 * that writes all or none. It locks the jobs in the order of their ids, the same order as a forget, so that the two cannot
 * deadlock. Returns the ids of the jobs, without those whose lease was lost.
 */
export async function saveEmbedded(db: Db, embedded: readonly EmbeddedJob[]): Promise<Set<string>> {
  const values: SqlValue[] = [];
  const placeholder = placeholdersIn(values);
  const row = (given: readonly SqlValue[], keywords?: BlindEntry): string => {
    const placeholders = givenTypes.map((type, i) => placeholder(given[i] ?? null, type));
    return `(${placeholders.join(', ')}, ${addKeywords(values, keywords)})`;
  };
  const updates = embedded.map(({ job, data: { info, keywords }, near }) => {
    const given = [
      job.id,
      job.leaseToken,
      info.model,
      info.keyId,
      near?.id ?? null,
      near?.similarity ?? null,
    ];
    return row(given, keywords);
  });
  const pieces = embedded.flatMap(({ job, data }) => pieceRows(placeholder, job.id, data.chunks));
  // Texts in one piece are the most frequent; others are given a statement that is planned for them
  const size = pieces.length === embedded.length ? preparedRows(pieces.length) : undefined;
  for (let i = embedded.length; i < (size ?? 0); i++) {
    updates.push(row([]));
    pieces.push(`(${pieceTypes.map((type) => placeholder(null, type)).join(', ')})`);
  }
  const { rows } = await db.query<{ id: string }>(
    `WITH given (id, token, model, key_id, near_id, similarity, ${keywordColumns}) AS (VALUES ${updates.join(', ')}),
     piece (id, no, embedding) AS (VALUES ${pieces.join(', ')}),
     held AS (
       SELECT memory_job.id FROM memory_job JOIN given USING (id) WHERE lease_token = given.token
       ORDER BY id FOR UPDATE OF memory_job),
     job AS (
       UPDATE memory_job SET stage = 'uploading', outbox = NULL, given_vectors = NULL, attempts = 0, run_at = now(),
         error_code = NULL, error_message = NULL, lease_until = NULL, lease_token = NULL, updated_at = now()
       FROM given JOIN held USING (id) WHERE memory_job.id = given.id
       RETURNING given.*, ${contextColumns}, account_id, namespace, envelope_id, envelope_sha256, length(envelope) AS size, importance,
         coalesce(written_at, created_at) AS created_at),
     memory AS (
       INSERT INTO memory (account_id, id, namespace, state, envelope_id, envelope_sha256, size, importance, created_at,
         near_duplicate_of, near_similarity, ${keywordColumns}, ${contextColumns})
       SELECT account_id, id, namespace, 'pending', envelope_id, envelope_sha256, size, importance, created_at,
         near_id, similarity, ${keywordColumns}, ${contextColumns}
       FROM job),
     vectors AS (
       INSERT INTO memory_vector (${vectorColumns})
       SELECT account_id, namespace, model, id, no, key_id, embedding, binary_quantize(embedding)
       FROM job JOIN piece USING (id))
     SELECT id FROM job`,
    values,
    { prepared: size !== undefined },
  );
  return new Set(rows.map(({ id }) => id));
}

/** The same texts in groups, each for one statement. */
export function statementsOf<Text extends { data: IndexData }>(embedded: readonly Text[]): Text[][] {
  const groups: Text[][] = [];
  let vectors = 0;
  for (const each of embedded) {
    const { length } = each.data.chunks;
    vectors += length;
    if (groups.length > 0 && vectors <= vectorsAtOnce) groups.at(-1)!.push(each);
    else {
      groups.push([each]);
      vectors = length;
    }
  }
  return groups;
}
