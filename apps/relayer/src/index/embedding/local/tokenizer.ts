/** Splits text into the token ids of BERT's uncased WordPiece vocabulary, as the original tokenizer does. */
export interface Tokenizer {
  /** First and last id of every sequence */
  readonly start: number;
  readonly end: number;
  /** Without the start and end ids. Text that looks like a special token is ordinary text. */
  idsOf(text: string): number[];
}

/** Longer words are unknown. In code points. */
const longestWord = 100;

/** `vocabulary`: one token a line; its line, from 0, is the token's id. Throws when a special token is missing. */
export function createTokenizer(vocabulary: string): Tokenizer {
  const ids = new Map<string, number>();
  for (const [id, token] of vocabulary.split('\n').entries()) if (token !== '') ids.set(token, id);
  const special = (token: string): number => {
    const id = ids.get(token);
    if (id === undefined) throw new Error(`the vocabulary has no ${token}`);
    return id;
  };
  const unknown = special('[UNK]');

  function piecesOf(word: string): number[] {
    const characters = [...word];
    if (characters.length > longestWord) return [unknown];
    const found: number[] = [];
    for (let start = 0; start < characters.length; ) {
      let end = characters.length;
      let id: number | undefined;
      for (; end > start; end--) {
        const piece = characters.slice(start, end).join('');
        id = ids.get(start === 0 ? piece : `##${piece}`);
        if (id !== undefined) break;
      }
      if (id === undefined) return [unknown];
      found.push(id);
      start = end;
    }
    return found;
  }

  return {
    start: special('[CLS]'),
    end: special('[SEP]'),
    idsOf: (text) => wordsOf(text).flatMap(piecesOf),
  };
}

/** Removed: control and format characters, unassigned and private ones, and the replacement character */
const removed = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\ufffd]/gu;
const ideograph =
  /[\u{4e00}-\u{9fff}\u{3400}-\u{4dbf}\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{f900}-\u{faff}\u{2f800}-\u{2fa1f}]/gu;
/** Each is a word: Unicode punctuation, and everything else of ASCII that is neither a letter nor a digit */
const separate = /[\p{P}$+<=>^`|~]/gu;

/** Lower case, without accents; ideographs and punctuation are words of one character. */
function wordsOf(text: string): string[] {
  const clean = text
    .replace(/[\t\n\r]/g, ' ')
    .replace(removed, '')
    .replace(ideograph, ' $& ')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');
  // Each character by itself: a sigma at the end of a word has no special form
  const lower = Array.from(clean, (character) => character.toLowerCase()).join('');
  return lower
    .replace(separate, ' $& ')
    .split(/\p{White_Space}+/u)
    .filter((word) => word !== '');
}
