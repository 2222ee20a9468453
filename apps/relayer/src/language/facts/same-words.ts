/** Words that can be left out without changing the meaning. Tenses and negations are not among them. */
const idle = new Set(['a', 'an', 'the', 'that', 'also', 'just', 'really', 'very', 'so']);

/**
 * Key of a text by its words. Word order and numbers count; case, punctuation, the style of quotes (’ or ') and a few
 * filler words do not. Two texts with the same key have the same meaning. Texts with different keys may still mean the
 * same, but one more date or "not" makes a different fact, however similar the vectors are, and two different facts
 * must never be treated as one.
 */
export function wordsKey(text: string): string {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[’ʼ]/gu, "'")
      .match(/(?:(?<=^|\s)[-−](?=\p{N}))?[\p{L}\p{N}\p{M}]+(?:['.,:/-][\p{L}\p{N}\p{M}]+)*|[\p{S}]/gu) ?? [];
  const telling = words.filter((word) => !idle.has(word));
  return (telling.length > 0 ? telling : words).join(' ');
}
