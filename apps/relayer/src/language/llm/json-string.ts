/**
 * Reads one string field of a JSON object while its text is still arriving. `push` takes the next part and returns the
 * new characters of the string. Does not validate: parse the whole text at its end.
 */
export function createStringReader(field: string): { push(piece: string): string } {
  const opening = new RegExp(`"${field}"\\s*:\\s*"`);
  let text = '';
  let start: number | undefined;
  let returned = 0;
  return {
    push(piece) {
      text += piece;
      if (start === undefined) {
        const found = opening.exec(text);
        if (!found) return '';
        start = found.index + found[0].length;
      }
      const whole = decoded(text.slice(start));
      const fresh = whole.slice(returned);
      returned = whole.length;
      return fresh;
    },
  };
}

/** Decodes a partial JSON string without its opening quote, as far as its characters are certain. */
function decoded(rest: string): string {
  const [certain] = /^(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/u.exec(rest)!;
  const value: string = JSON.parse(`"${certain}"`);
  // The second half of a surrogate pair may follow
  return rest[certain.length] !== '"' && /[\ud800-\udbff]$/.test(value) ? value.slice(0, -1) : value;
}
