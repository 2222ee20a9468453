import { indexParts, type SearchMatch } from '@memrelay/dev-env/index-parts';
import { dot } from './linear.ts';
import type { Namespace, Row } from './rows.ts';

const { fuse, lengthOf, lexicalWeights, modelWeights, questionOf, searchedTerms } = indexParts;

export interface RecallCost {
  /** Share of the evidence among the first ten results of the complete recall; `vector`: of the vector search alone */
  fused: number;
  vector: number;
  /** Share of the ten nearest vectors without noise that are among the ten nearest with it */
  exactTen: number;
}

/** Similarities of a question to rows, the same for variants that do not change the vectors. */
const similarities = new WeakMap<Float32Array, WeakMap<Float32Array, number>>();

function similarity(question: Float32Array, row: Float32Array): number {
  const known = similarities.get(question) ?? new WeakMap<Float32Array, number>();
  similarities.set(question, known);
  const value = known.get(row) ?? dot(question, row);
  known.set(row, value);
  return value;
}

/** Recall results in the rows of a variant, ranked by the relayer's own fusion. */
export function recallCost(
  namespaces: readonly Namespace[],
  rowsIn: (namespace: Namespace) => readonly Row[],
  isModel: boolean,
): RecallCost {
  const sums = { fused: 0, vector: 0, exactTen: 0 };
  let count = 0;
  for (const namespace of namespaces) {
    const rows = rowsIn(namespace);
    const texts = rows.length;
    const meanLength = rows.reduce((sum, { lengthBucket }) => sum + lengthOf(lengthBucket), 0) / texts;
    const documents = new Map<string, number>();
    for (const { tokens } of rows)
      for (const token of tokens.keys()) documents.set(token, (documents.get(token) ?? 0) + 1);
    for (const { text, plain, mapped, evidence } of namespace.questions) {
      const question = questionOf(text, !isModel);
      const tokens = searchedTerms(question).map((term) => namespace.tokenOf(term) ?? '');
      const matches = rows.map((row) =>
        matchOf(
          row,
          1 - similarity(mapped, row.stored),
          tokens.map((token) => row.tokens.get(token) ?? 0),
        ),
      );
      matches.sort((a, b) => a.distance - b.distance);
      for (const match of matches.slice(0, candidates)) match.near = true;
      const candidate = matches.filter(({ near, words }) => near || words!.steps.some((step) => step > 0));
      const { found } = fuse(
        { matches: candidate, documents: tokens.map((token) => documents.get(token) ?? 0) },
        { texts, meanLength },
        isModel ? modelWeights : lexicalWeights,
        question,
      );
      const share = (ids: readonly string[]): number =>
        evidence.filter((id) => ids.includes(id)).length / evidence.length;
      const nearest = matches.slice(0, 10).map(({ id }) => id);
      const exact = namespace.rows
        .map((row) => ({ id: row.id, near: similarity(plain, row.plain) }))
        .sort((a, b) => b.near - a.near)
        .slice(0, 10);
      sums.fused += share(found.slice(0, 10).map(({ match }) => match.id));
      sums.vector += share(nearest);
      sums.exactTen += exact.filter(({ id }) => nearest.includes(id)).length / exact.length;
      count += 1;
    }
  }
  return { fused: sums.fused / count, vector: sums.vector / count, exactTen: sums.exactTen / count };
}

const candidates = 40;

function matchOf({ id, lengthBucket }: Row, distance: number, steps: number[]): SearchMatch {
  return {
    id,
    distance,
    near: false,
    words: { steps, lengthBucket },
    state: 'done',
    size: 0,
    blobId: id,
    envelopeId: undefined,
    envelopeSha256: Buffer.alloc(0),
    importance: 0.5,
    createdAt: new Date(0),
  };
}
