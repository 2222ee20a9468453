import { anchorDates } from './anchor-dates.ts';
import { type Fact, importanceOf, oneLine } from './fact.ts';
import { sentences } from './sentences.ts';

/** More would be a flood of jobs from one request */
const maxFacts = 500;

/** Without a model: the sentences of the text, several in one where there are very many. */
export function localFacts(text: string, occurredAt: string | undefined): Fact[] {
  const found = sentences(text)
    .map(oneLine)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const together = Math.ceil(found.length / maxFacts);
  const grouped: string[] = [];
  for (let i = 0; i < found.length; i += together) grouped.push(found.slice(i, i + together).join(' '));
  return grouped.map((sentence) => ({
    text: anchorDates(sentence, occurredAt),
    importance: importanceOf.standard,
  }));
}
