import { createHash } from 'node:crypto';
import { indexParts } from '@memrelay/dev-env/index-parts';
import { type EmbeddingConfig, openSearchIndex } from '@memrelay/dev-env/search-index';
import type { Conversation } from '../recall-quality/locomo.ts';

const { decodeVector, termsOf } = indexParts;

/** The data that a database stores about one text, and the data that only its owner knows. */
export interface Row {
  id: string;
  /** The vector as stored in the database, after the account's map */
  stored: Float32Array;
  /** The vector as returned by the embedder. Anyone with the text and the model can compute it */
  plain: Float32Array;
  /** How often each token occurs, in three steps */
  tokens: ReadonlyMap<string, number>;
  lengthBucket: number;
  /** The text's terms with the same steps. The attacker knows them only for known texts */
  terms: ReadonlyMap<string, number>;
}

export interface Namespace {
  name: string;
  rows: Row[];
  questions: { text: string; plain: Float32Array; mapped: Float32Array; evidence: readonly string[] }[];
  /** Token of a term, to measure the success of an attack */
  tokenOf(term: string): string | undefined;
}

interface DatabaseRow {
  id: string;
  embedding: Buffer;
  tokens: string[];
  twice: string[];
  often: string[];
  length_bucket: number;
}

/** Stores the turns of the conversations through the relayer's index and reads the rows back from the database. */
export async function readNamespaces(
  databaseUrl: string,
  embedding: EmbeddingConfig,
  conversations: readonly Conversation[],
): Promise<Namespace[]> {
  const index = await openSearchIndex(databaseUrl, embedding);
  try {
    const namespaces: Namespace[] = [];
    for (const { name, turns, questions } of conversations) {
      const place = { accountId: createHash('sha256').update(`turns of ${name}`).digest(), namespace: name };
      const ids = await index.add(
        place,
        turns.map(({ text }) => text),
      );
      const { rows } = await index.db.query<DatabaseRow>(
        `SELECT m.id, vector_send(v.embedding::vector) AS embedding,
           m.tokens::text[] AS tokens, coalesce(m.tokens_twice, '{}')::text[] AS twice,
           coalesce(m.tokens_often, '{}')::text[] AS often, m.length_bucket
         FROM memory m JOIN memory_vector v ON v.account_id = m.account_id AND v.memory_id = m.id AND v.chunk_no = 0
         WHERE m.account_id = $1`,
        [place.accountId],
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      const embedded = await index.embed(
        place,
        turns.map(({ text }) => text),
      );
      const tokens = new Map<string, string>();
      const found = turns.map(({ id, text }, i): Row => {
        const row = byId.get(ids[i]!)!;
        const terms = new Map<string, number>();
        for (const term of termsOf(text)) terms.set(term, Math.min(3, (terms.get(term) ?? 0) + 1));
        for (const term of terms.keys()) tokens.set(term, index.tokenOf(place, term));
        const steps = (token: string): number =>
          1 + Number(row.twice.includes(token)) + Number(row.often.includes(token));
        return {
          id,
          stored: decodeVector(row.embedding),
          plain: embedded[i]!.plain,
          tokens: new Map(row.tokens.map((token) => [token, steps(token)])),
          lengthBucket: row.length_bucket,
          terms,
        };
      });
      const vectors = await index.embed(
        place,
        questions.map(({ text }) => text),
      );
      namespaces.push({
        name,
        rows: found,
        questions: questions.map(({ text, evidence }, i) => ({ text, evidence, ...vectors[i]! })),
        tokenOf: (term) => tokens.get(term),
      });
    }
    return namespaces;
  } finally {
    await index.close();
  }
}
