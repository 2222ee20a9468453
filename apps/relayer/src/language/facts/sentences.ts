import { textSegments } from '@memrelay/text-index/base/text-segments';

/** Finds sentences in any script by Unicode's rules (UAX 29). */
const sentencesOf = textSegments('sentence', 'en');

/** A point after these does not end a sentence: titles, initials, and abbreviations such as "e.g.". */
const abbreviation =
  /(?:^|[\s("'“])(?:[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|[Rr]ev|[Gg]en|[Cc]apt|[Ss]gt|[Ll]t|[Hh]on|[Vv]s|[Aa]pprox|[Dd]ept|[Mm]me|[Mm]lle|[Ss]ra?|[Dd]ra|[Ff]r|[Hh]r|e\.g|i\.e|cf|ca|bzw|(?!I\.)\p{L}|(?:\p{Lu}\.)+\p{Lu})\.\s*$/u;
/** A point after these does not end a sentence if a number follows */
const beforeNumber =
  /(?:^|[\s(])(?:[Nn]o|[Nn]r|[Nn]úm|[Ff]ig|[Vv]ol|[Cc]h|[Ss]ec|[Aa]rt|[Pp]{1,2}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.\s*$/u;
/** The number of a day in German: "am 3. Mai" */
const dayNumber = /(?:^|\s)\d{1,2}\.\s*$/u;
const germanMonth =
  /^(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L})/u;
/** The number of an entry in a list */
const entryNumber = /^\s*\(?\d{1,3}[.)]\s*$/u;
/** In an address: "example.com/a?b=c" */
const withoutSpace = /[!?]$/u;
/** A quotation that ends with `!` or `?`, before the sentence continues in lower case */
const quotationEnd = /[!?][\p{Pf}\p{Pe}"']+\s*$/u;
const longestAbbreviation = 40;

/** In texts without capitals: a point, a space, a lower-case letter. Not after a single letter ("p.m. in"). */
const smallBeginning = /(?<=[\p{L}\p{M}\p{N}][\p{L}\p{N})"'”’][.]\s+)(?=["'“‘(]?\p{Ll})/u;
/** A point after these can end a sentence, but not if a lower-case letter follows */
const goesOnSmall = /(?:^|[\s(])(?:etc|inc|ltd|corp|co|jr|est|min|max|usw|al)\.\s*$/iu;

/** "Caroline: …" in a conversation, also "[8:15 pm] Dr. J. Li: …". No sentence ends in a name. */
const speaker =
  /^((?:\[[^\]\n]{1,40}\]\s*)?\p{Lu}(?:[\p{L}\p{M}\p{N} '’_-]|(?<=(?:^|[\s\]])(?:\p{L}|Mrs?|Ms|Dr|Prof|St))\.){0,40}):\s+(?=\S)/u;

/** A text without any point is cut at white space after this many characters */
export const longestSentence = 1_000;

/**
 * Splits a text into sentences, which together are the whole text. In a conversation, each sentence begins with its
 * speaker.
 */
export function sentences(text: string): string[] {
  return text.split(/\n+/).flatMap((line) => {
    const trimmed = line.trim();
    if (trimmed === '') return [];
    const name = speakerOf(trimmed);
    return splitLine(trimmed.slice(name.length))
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .flatMap(cutLong)
      .map((sentence) => `${name.trim()} ${sentence}`.trim());
  });
}

/** The speaker prefix of a sentence, such as "Caroline: ", or an empty string. */
export function speakerOf(sentence: string): string {
  return speaker.exec(sentence)?.[0] ?? '';
}

function splitLine(line: string): string[] {
  const parts: string[] = [];
  // Only the end of the current sentence is examined: a line may consist of initials only
  let end = '';
  for (const { segment } of sentencesOf(line))
    for (const [i, piece] of segment.split(smallBeginning).entries()) {
      if (goesOn(end, piece) || (i > 0 && goesOnSmall.test(end))) {
        parts.push(`${parts.pop()!}${piece}`);
        end = (end + piece).slice(-longestAbbreviation);
      } else {
        parts.push(piece);
        end = piece.slice(-longestAbbreviation);
      }
    }
  return parts;
}

/** Whether the sentence that ends with `end` continues with `next`. */
function goesOn(end: string, next: string): boolean {
  return (
    abbreviation.test(end) ||
    entryNumber.test(end) ||
    (/^\d/u.test(next) && beforeNumber.test(end)) ||
    (dayNumber.test(end) && germanMonth.test(next)) ||
    (/^\p{Ll}/u.test(next) && quotationEnd.test(end)) ||
    (/^[\p{Ll}\d=&/#%_-]/u.test(next) && withoutSpace.test(end))
  );
}

function cutLong(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > longestSentence) {
    const space = rest.lastIndexOf(' ', longestSentence);
    let end = space > longestSentence / 2 ? space : longestSentence;
    // Do not cut between the two halves of a surrogate pair
    if (/[\ud800-\udbff]/.test(rest[end - 1]!)) end -= 1;
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return rest === '' ? pieces : [...pieces, rest];
}
