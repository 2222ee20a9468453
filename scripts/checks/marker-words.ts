export interface MarkerWord {
  /** Name in reports */
  name: string;
  pattern: RegExp;
  instead: string;
}

const word = (name: string, pattern: RegExp, instead: string): MarkerWord => ({ name, pattern, instead });

/** Words that are typical of word-for-word translation, with alternatives. */
export const markerWords: readonly MarkerWord[] = [
  word('anew', /\banew\b/gi, 'again, or a verb with re-: retry, re-embed, reload'),
  word('nobody', /\bnobody\b/gi, 'no one, or name who: no caller, no client'),
  word('whoever', /\bwho(?:so)?ever\b/gi, 'anyone who, callers that'),
  word(
    'is told',
    /\b(?:is|are|was|were|be|been|being) told\b(?! apart\b)/gi,
    'is reported, is shown, receives',
  ),
  word('so many', /\bso many\b/gi, 'N, at most N, that many'),
  word('beside', /\bbesides?\b/gi, 'next to, in addition to, except for'),
  word('meanwhile', /\bmeanwhile\b/gi, 'in the meantime, while X runs'),
  word('as good as none', /\bas good as (?:none|no|nothing)\b/gi, 'equivalent to none, useless'),
  word('of before', /\bof (?:before|today)\b(?!['’]s)/gi, 'earlier, current'),
  word('reckoned', /\breckon(?:s|ed|ing)?\b/gi, 'computed, estimated'),
  word('mend', /\bmend(?:s|ed|ing)?\b/gi, 'fix, repair'),
  word('once more', /\bonce more\b/gi, 'again, a second time'),
  word('dear', /\bdear(?:er|est|ly)?\b/gi, 'expensive, costs more'),
  word('stands in', /\bst(?:ands?|ood) (?:in|there)\b(?! for\b)/gi, 'is in, is listed in, appears in'),
];

export interface MarkerHit {
  name: string;
  index: number;
  instead: string;
}

/** Every marker word in a text, in order. */
export function markersIn(text: string): MarkerHit[] {
  return markerWords
    .flatMap(({ name, pattern, instead }) =>
      [...text.matchAll(pattern)].map(({ index }) => ({ name, index, instead })),
    )
    .sort((a, b) => a.index - b.index);
}
