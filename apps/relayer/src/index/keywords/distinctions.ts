/**
 * What makes two texts of nearly the same words say different things: their numbers, and whether and how often they
 * negate. Equal for equal ones. Number words are English, like the stems; "2" and "two" are the same.
 */
export function distinctionsOf(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase().replace(/[’ʼ‘]/g, "'");
  const numbers: string[] = [];
  let negations = 0;
  for (const [word] of plain.matchAll(words)) {
    if (digits.test(word)) numbers.push(word.replace(/^0+(?=\d)/, ''));
    else if (negative.has(word) || word.endsWith("n't")) negations += 1;
    else {
      const number = numberWords.indexOf(word);
      if (number > 0) numbers.push(String(number));
    }
  }
  return JSON.stringify([numbers.sort(), negations]);
}

const words = /\p{Nd}+|\p{L}+(?:'\p{L}+)?/gu;
const digits = /^\p{Nd}/u;
const negative: ReadonlySet<string> = new Set(
  'no not never none nobody nothing nowhere neither nor without cannot'.split(' '),
);
/** By their values; "one" is a pronoun more often than a number */
const numberWords = '- - two three four five six seven eight nine ten eleven twelve'.split(' ');
