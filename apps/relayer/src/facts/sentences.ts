/** Beginnings of sentences by Unicode's rules (UAX 29), of any script. */
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** A point after these ends no sentence: titles and what stands before a name, a number or an example. */
const abbreviation =
  /(?:^|[\s("'])(?:mr|mrs|ms|dr|prof|st|jr|sr|rev|gen|capt|sgt|lt|hon|vs|etc|approx|no|vol|fig|dept|est|inc|ltd|co|corp|e\.g|i\.e|cf|al|ca|\p{Lu}|(?:\p{Lu}\.)+\p{Lu})\.\s*$/iu;
const longestAbbreviation = 40;
/** "Caroline: …" in a conversation, also "[8:15 pm] Caroline: …" */
const speaker = /^((?:\[[^\]\n]{1,40}\]\s*)?\p{Lu}[\p{L}\p{M}\p{N} .'’_-]{0,40}):\s+(?=\S)/u;

/** Shorter ones say little alone ("Wow!", "Thanks."): they stay with their neighbour. Letters of an alphabet. */
const shortest = 20;
/** A character of these says as much as a few letters */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
/** A text without any point is cut at white space */
export const longestSentence = 1_000;

/**
 * The sentences of a text, in order; together they are the whole text. In a conversation each names who says it.
 */
export function sentences(text: string): string[] {
  return text.split(/\n+/).flatMap((line) => {
    const trimmed = line.trim();
    if (trimmed === '') return [];
    const name = speaker.exec(trimmed)?.[0] ?? '';
    const said = joinShort(splitLine(trimmed.slice(name.length)));
    return said.flatMap(cutLong).map((sentence) => `${name.trim()} ${sentence}`.trim());
  });
}

function splitLine(line: string): string[] {
  const parts: string[] = [];
  // Only the end of what is there is looked at: a line may be nothing but initials
  let end = '';
  for (const { segment } of segmenter.segment(line)) {
    if (abbreviation.test(end)) {
      parts.push(`${parts.pop()!}${segment}`);
      end = (end + segment).slice(-longestAbbreviation);
    } else {
      parts.push(segment);
      end = segment.slice(-longestAbbreviation);
    }
  }
  return parts;
}

/** A short one goes with the one before; at the beginning with the one after. */
function joinShort(parts: readonly string[]): string[] {
  const joined: string[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last !== undefined && (isShort(part) || isShort(last))) joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined.map((part) => part.trim()).filter((part) => part !== '');
}

function isShort(part: string): boolean {
  const text = part.trim();
  return text.length + 3 * (text.match(dense)?.length ?? 0) < shortest;
}

function cutLong(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > longestSentence) {
    const space = rest.lastIndexOf(' ', longestSentence);
    let end = space > longestSentence / 2 ? space : longestSentence;
    // Not between the two halves of one character
    if (/[\ud800-\udbff]/.test(rest[end - 1]!)) end -= 1;
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === '' ? pieces : [...pieces, rest];
}
