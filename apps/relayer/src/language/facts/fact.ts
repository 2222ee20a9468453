/** A statement from a text that is worth a separate memory. */
export interface Fact {
  text: string;
  /** 0 to 1 */
  importance: number;
  /** Its relation to a memory that was offered as context */
  relation?: { is: 'restates' | 'replaces'; memoryId: string };
}

/** Values stored in meta and rows; 0.5 when not rated */
export const importanceOf = { vital: 0.9, standard: 0.5, trivial: 0.2 } as const;

/** A fact is one statement: longer texts are rejected. */
export const maxFactCharacters = 2_000;

/**
 * Converts a text to one line, without control characters and characters that change the writing direction. May be
 * empty.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
}
