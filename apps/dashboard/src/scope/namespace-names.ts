import { invisibleCharacterIn } from '@memrelay/protocol/invisible-characters';

/** decisions.md, "Fields and limits"; a scope holds at most 16. */
const maxCharacters = 128;
const maxNames = 16;

/** Parses a field with one name per line. Returns the names, or the problem. */
export function namespaceNames(text: string): string[] | { problem: string } {
  const names = [...new Set(text.split('\n').filter((line) => line.trim() !== ''))];
  if (names.length === 0) return { problem: 'Enter at least one namespace, or choose all namespaces.' };
  if (names.length > maxNames) return { problem: `You can choose at most ${maxNames} namespaces.` };
  if (names.some((name) => [...name].length > maxCharacters || /\p{Cc}/u.test(name) || !name.isWellFormed()))
    return {
      problem: `A namespace must have at most ${maxCharacters} characters and no control characters.`,
    };
  const found = names.map(invisibleCharacterIn).find((character) => character !== undefined);
  if (found !== undefined)
    return {
      problem: `Namespaces must not contain bidirectional controls or zero-width characters, but one contains ${found}.`,
    };
  return names;
}
