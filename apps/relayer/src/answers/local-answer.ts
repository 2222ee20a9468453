import type { MemoryHit } from '@memrelay/protocol/memories';
import { oneLine } from '../facts/fact.ts';

const quoted = 3;
const quotedCharacters = 500;
/** The lexical embedder puts texts that share no word at a distance of about 1 */
const farthest = 0.95;

/** Without a model: the best memories, quoted. Undefined where none has to do with the question. */
export function localAnswer(
  hits: readonly MemoryHit[],
): { answer: string; memories: MemoryHit[] } | undefined {
  const memories = hits.filter(({ distance }) => distance < farthest).slice(0, quoted);
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
