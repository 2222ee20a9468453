/**
 * Invisible characters that can make different names look the same: bidirectional controls and zero-width characters. ZWJ and
 * ZWNJ are allowed because scripts and emoji need them, variation selectors because they only change the character before them.
 */
const invisible =
  /(?![\u200c\u200d]|\p{Variation_Selector})(?:\p{Bidi_Control}|\p{Default_Ignorable_Code_Point})/u;

/** The first such character of a text as `U+202E`, `undefined` when there is none. */
export function invisibleCharacterIn(text: string): string | undefined {
  const found = invisible.exec(text)?.[0].codePointAt(0);
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}
