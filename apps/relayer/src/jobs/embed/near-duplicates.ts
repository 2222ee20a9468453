import type { Db } from '../../base/db/db.ts';
import {
  type ComparableText,
  type NearDuplicate,
  type NewText,
  readNearest,
} from '../rows/near-duplicate-rows.ts';

/**
 * Returns the near-duplicate of each text, by the text's id: the nearest memory among the stored ones and the earlier
 * texts of this list, if their cosine similarity is at least `least` and both have the same numbers and negations. One
 * query covers all texts: it reads the sign bits of the namespace once, and vectors only where the sign bits allow that
 * similarity. The query forces this plan even before the tables have statistics. Texts of several chunks are skipped,
 * because no single vector represents them.
 */
export async function nearDuplicates(
  db: Db,
  model: string,
  least: number,
  texts: readonly NewText[],
): Promise<Map<string, NearDuplicate>> {
  const comparable = texts.flatMap((text): ComparableText[] => {
    const { chunks, keywords } = text.data;
    return chunks.length === 1 && keywords
      ? [{ ...text, vector: chunks[0]!.vector, distinctions: keywords.distinctions }]
      : [];
  });
  if (comparable.length === 0) return new Map();
  const found = await readNearest(db, model, least, comparable);
  for (const [i, text] of comparable.entries())
    for (const earlier of comparable.slice(0, i)) {
      const similarity = isComparable(text, earlier) ? cosine(text.vector, earlier.vector) : 0;
      if (similarity >= least && similarity > (found.get(text.id)?.similarity ?? 0))
        found.set(text.id, { id: earlier.id, similarity });
    }
  return found;
}

function isComparable(one: ComparableText, other: ComparableText): boolean {
  return (
    one.namespace === other.namespace &&
    one.distinctions === other.distinctions &&
    one.accountId.equals(other.accountId)
  );
}

/** Cosine similarity of two unit vectors. */
function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return Math.min(1, sum);
}
