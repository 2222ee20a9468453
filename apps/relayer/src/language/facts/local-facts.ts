import { anchorDates } from './anchor-dates.ts';
import { type Fact, importanceOf, oneLine } from './fact.ts';
import { weigh } from './fragments.ts';
import { sentences, speakerOf } from './sentences.ts';

/** Limits the number of jobs from one request */
const maxFacts = 500;

/** "- ", "* ", "- [x] ", "1. ", "2) " at the beginning of a list entry */
const marker = /^(?:[-*•‣–—]\s+\[[ xX]?\]|[-*•‣–—]|\(?\d{1,3}[.)])\s+/u;

/**
 * Facts without a model: each sentence with a statement is a fact. Greetings, thanks and single words are added to the
 * previous sentence, because "Yes." answers it, or at the beginning to the next one. If there are more than `maxFacts`,
 * several sentences form one fact.
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

/** Empty if there are only courtesies. */
function joined(parts: readonly string[]): string[] {
  const facts: { text: string; speaker: string }[] = [];
  let before = '';
  let states = false;
  for (const sentence of parts) {
    const speaker = speakerOf(sentence);
    const said = sentence.slice(speaker.length).trim();
    const found = weigh(said);
    // After a name or heading, one word is a statement: "Allergies: nuts"
    const worth = found === 'fragment' && speaker !== '' ? 'statement' : found;
    states ||= worth !== 'courtesy';
    const last = facts.at(-1);
    // Do not repeat the name if the same speaker continues
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
