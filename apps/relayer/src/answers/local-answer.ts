import type { MemoryHit } from '@memrelay/protocol/memories';
import { oneLine } from '../facts/fact.ts';
import { termsOf } from '../keywords/terms.ts';

const quoted = 3;
const quotedCharacters = 500;
/** Of each memory, for words of the question */
const readCharacters = 10_000;
/** So near are texts that share parts of words; two words that the lexical embedder mixes up come to 0.89 */
const nearEnough = 0.8;

/** Without a model: the best memories, quoted. Undefined where none has to do with the question. */
export function localAnswer(
  question: string,
  hits: readonly MemoryHit[],
): { answer: string; memories: MemoryHit[] } | undefined {
  const asked = new Set(termsOf(question));
  const memories: MemoryHit[] = [];
  for (const hit of hits) {
    if (memories.length === quoted) break;
    const read = hit.text.slice(0, readCharacters);
    if (hit.distance < nearEnough || termsOf(read).some((term) => asked.has(term))) memories.push(hit);
  }
  if (memories.length === 0) return undefined;
  const answer = memories
    .map(({ text }, i) => {
      const line = oneLine(text);
      const shown =
        line.length > quotedCharacters ? `${line.slice(0, quotedCharacters).toWellFormed()} …` : line;
      return `“${shown}” [${i + 1}]`;
    })
    .join('\n');
  return { answer, memories };
}
