/** Characters of memory text in one result, some 15,000 tokens: hosts cut or refuse results of more than about 25,000. */
const resultCharacters = 60_000;

export interface FittedText {
  text: string;
  /** Present when the text was cut */
  truncated?: true;
}

/**
 * Gives each text its part of the room of one result, in order: what one does not need goes to those after it. A text
 * alone has all of it.
 */
export function fitTexts(texts: readonly string[], room: number = resultCharacters): FittedText[] {
  let left = room;
  return texts.map((text, i) => {
    const share = Math.floor(left / (texts.length - i));
    left -= Math.min(text.length, share);
    if (text.length <= share) return { text };
    // Not between the halves of a character
    return { text: text.slice(0, share).replace(/[\ud800-\udbff]$/, ''), truncated: true };
  });
}
