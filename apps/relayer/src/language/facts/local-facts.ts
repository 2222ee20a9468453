import { anchorDates } from './anchor-dates.ts';
import { type Fact, importanceOf, oneLine } from './fact.ts';
import { weigh } from './fragments.ts';
import { sentences, speakerOf } from './sentences.ts';

/** More would be a flood of jobs from one request */
const maxFacts = 500;

/** "- ", "* ", "- [x] ", "1. ", "2) " at the beginning of an entry in a list */
const marker = /^(?:[-*•‣–—]\s+\[[ xX]?\]|[-*•‣–—]|\(?\d{1,3}[.)])\s+/u;

/**
 * Without a model: each sentence that states something. Greetings, thanks and single words stay with the sentence before
 * them, since "Yes." answers it; at the beginning with the one after. Where there are very many, several are one fact.
 */
export function localFacts(text: string, occurredAt: string | undefined): Fact[] {
  const found = joined(
    sentences(text)
      .map((sentence) => oneLine(sentence).replace(marker, ''))
      .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence)),
  );
  const together = Math.ceil(found.length / maxFacts);
  const grouped: string[] = [];
  for (let i = 0; i < found.length; i += together) grouped.push(found.slice(i, i + together).join(' '));
  return grouped.map((sentence) => ({
    text: anchorDates(sentence, occurredAt),
    importance: importanceOf.standard,
  }));
}

/** None where there are only courtesies. */
function joined(parts: readonly string[]): string[] {
  const facts: { text: string; speaker: string }[] = [];
  let before = '';
  let states = false;
  for (const sentence of parts) {
    const speaker = speakerOf(sentence);
    const said = sentence.slice(speaker.length).trim();
    const found = weigh(said);
    // With a name in front a word is enough: "Allergies: nuts"
    const worth = found === 'fragment' && speaker !== '' ? 'statement' : found;
    states ||= worth !== 'courtesy';
    const last = facts.at(-1);
    // The name is there already where the same one goes on
    const goesOn = (other: string): string => (speaker !== '' && speaker === other ? said : sentence);
    if (worth === 'statement') {
      facts.push({ text: before === '' ? sentence : `${before} ${goesOn(speakerOf(before))}`, speaker });
      before = '';
    } else if (last) last.text = `${last.text} ${goesOn(last.speaker)}`;
    else before = before === '' ? sentence : `${before} ${goesOn(speakerOf(before))}`;
  }
  if (before !== '' && states) return [before];
  return facts.map(({ text }) => text);
}
