/** What was found in a text and is worth a memory of its own. */
export interface Fact {
  text: string;
  /** 0 to 1 */
  importance: number;
  /** What it does to a memory that was offered as context, by that memory's id */
  relation?: { is: 'restates' | 'replaces'; memoryId: string };
}

/** In meta and rows; 0.5 when not rated */
export const importanceOf = { vital: 0.9, standard: 0.5, trivial: 0.2 } as const;

/** A fact is one statement: longer texts are rejected. */
export const maxFactCharacters = 2_000;

/**
 * A text in one line, without characters that steer a terminal or the direction of writing. Empty where nothing is left.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
}
