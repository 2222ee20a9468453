import { invisibleCharacterIn } from '@memrelay/protocol/invisible-characters';

/** decisions.md, "Fields and limits"; a scope holds at most 16. */
const maxCharacters = 128;
export const maxNames = 16;

/** Why a list of names is refused. */
export type NamesProblem = 'none' | 'too-many' | 'malformed' | 'invisible';

/** Parses a field with one name per line. Returns the names, or the problem. */
export function namespaceNames(text: string): string[] | { problem: NamesProblem } {
  const names = [...new Set(text.split('\n').filter((line) => line.trim() !== ''))];
  if (names.length === 0) return { problem: 'none' };
  if (names.length > maxNames) return { problem: 'too-many' };
  if (names.some((name) => [...name].length > maxCharacters || /\p{Cc}/u.test(name) || !name.isWellFormed()))
    return { problem: 'malformed' };
  return names.some((name) => invisibleCharacterIn(name) !== undefined) ? { problem: 'invisible' } : names;
}
