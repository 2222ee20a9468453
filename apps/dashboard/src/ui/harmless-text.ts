/**
 * Control, format (also those that turn the direction of text), private and unassigned characters: what could make a text
 * look like another one, or like a part of the page.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** More marks on one letter than any language has; they would climb over the lines around. */
const stackedMarks = /(\p{M}{2})\p{M}+/gu;

/** Somebody's text in one line, with a sign where something was that is not shown, and at most `max` characters. */
export function harmless(text: string, max = 80): string {
  const shown = text.replace(/\s+/gu, ' ').replace(unseen, '\uFFFD').replace(stackedMarks, '$1').trim();
  const characters = [...shown];
  return characters.length <= max ? shown : `${characters.slice(0, max - 1).join('')}…`;
}

/** The label that is written on chain: what is not shown is left out, so that no list has to deal with it. */
export function cleanLabel(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(unseen, '').replace(stackedMarks, '$1').trim() || 'unnamed tool';
}
