/**
 * Control, format (including text direction), private and unassigned characters: they could make a text look like another
 * one, or like part of the page.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** More combining marks on one letter than any language uses, which would overlap other lines. */
const stackedMarks = /(\p{M}{2})\p{M}+/gu;

/** Untrusted text as one line of at most `max` characters; characters that are not shown become U+FFFD. */
export function harmless(text: string, max = 80): string {
  const shown = text.replace(/\s+/gu, ' ').replace(unseen, '\uFFFD').replace(stackedMarks, '$1').trim();
  const characters = [...shown];
  return characters.length <= max ? shown : `${characters.slice(0, max - 1).join('')}…`;
}

/** The label to write on chain, without invisible characters, so that no list has to handle them. */
export function cleanLabel(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(unseen, '').replace(stackedMarks, '$1').trim() || 'unnamed tool';
}
