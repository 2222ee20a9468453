/** Characters of memory text in one result, about 15,000 tokens: hosts cut or reject results above about 25,000 tokens. */
const resultCharacters = 60_000;

export interface FittedText {
  text: string;
  /** Present if the text was cut */
  truncated?: true;
}

/**
 * Cuts the texts so that together they fit into one result. Each text gets an equal share of the remaining space, in order,
 * so space that a short text does not need goes to the following ones.
 */
export function fitTexts(texts: readonly string[], room: number = resultCharacters): FittedText[] {
  let left = room;
  return texts.map((text, i) => {
    const share = Math.floor(left / (texts.length - i));
    left -= Math.min(text.length, share);
    if (text.length <= share) return { text };
    // Do not cut a surrogate pair in half
    return { text: text.slice(0, share).replace(/[\ud800-\udbff]$/, ''), truncated: true };
  });
}
