/** Words that may differ without a difference in what is said. Tenses and negations are not among them. */
const idle = new Set(['a', 'an', 'the', 'that', 'also', 'just', 'really', 'very', 'so']);

/**
 * What stands for a text where only its words count: their order and numbers do, case, punctuation, accents of writing
 * (’ or ') and a few idle words do not. Two texts with the same key say the same. The reverse is not claimed: a date or
 * a "not" more makes another fact, however near the vectors are, and a fact must never be taken for another.
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
