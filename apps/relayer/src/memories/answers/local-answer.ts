import type { MemoryHit } from '@memrelay/protocol/memories';
import { oneLine } from '../../language/facts/fact.ts';

const quoted = 3;
const quotedCharacters = 500;

/** Quotes the best hits, for servers without a chat model. Undefined if there are no hits. */
export function localAnswer(
  hits: readonly MemoryHit[],
): { answer: string; memories: MemoryHit[] } | undefined {
  const memories = hits.slice(0, quoted);
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
