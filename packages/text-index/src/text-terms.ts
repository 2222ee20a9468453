import type { Steps } from './base/steps.ts';
import { lengthBucket } from './bm25.ts';
import { distinctionSteps } from './distinctions.ts';
import { piecesOf } from './words/pieces.ts';
import { termsIn } from './words/terms.ts';

/** Everything of a text that an index entry is made of. The caller turns each term into a token under its own key. */
export interface TextTerms {
  /** How often each distinct term occurs, in the order of the text; at most 16,384 */
  counts: ReadonlyMap<string, number>;
  /** 0–7 */
  lengthBucket: number;
  /** The text's numbers and negations (distinctions.ts). No term contains its bracket, so no word is equal to it */
  distinctions: string;
}

/** Only this many distinct terms from the start of a text are indexed: a row of 128 KB. */
export const maxTextTerms = 16_384;

/** One step for each word, then for each word again. */
export function* textTermSteps(text: string): Steps<TextTerms> {
  const counts = new Map<string, number>();
  let length = 0;
  for (const piece of piecesOf(text)) {
    yield;
    for (const forms of termsIn(piece)) {
      yield;
      if (!forms) continue;
      length += 1;
      for (const term of forms) {
        const times = counts.get(term);
        if (times !== undefined || counts.size < maxTextTerms) counts.set(term, (times ?? 0) + 1);
      }
    }
  }
  return {
    counts,
    lengthBucket: lengthBucket(length),
    distinctions: yield* distinctionSteps(text),
  };
}
