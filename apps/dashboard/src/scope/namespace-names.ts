import { invisibleCharacterIn } from '@memrelay/protocol/invisible-characters';

/** decisions.md, "Fields and limits"; a scope holds at most 16. */
const maxCharacters = 128;
const maxNames = 16;

/** Names from a field with one a line, or what is wrong with them. */
export function namespaceNames(text: string): string[] | { problem: string } {
  const names = [...new Set(text.split('\n').filter((line) => line.trim() !== ''))];
  if (names.length === 0) return { problem: 'Name at least one namespace, or choose all of them.' };
  if (names.length > maxNames) return { problem: `At most ${maxNames} namespaces can be chosen.` };
  if (names.some((name) => [...name].length > maxCharacters || /\p{Cc}/u.test(name) || !name.isWellFormed()))
    return { problem: `A namespace has at most ${maxCharacters} characters, and no control characters.` };
  const found = names.map(invisibleCharacterIn).find((character) => character !== undefined);
  if (found !== undefined)
    return {
      problem: `A namespace has no bidirectional controls and no zero-width characters, but one of these has ${found}.`,
    };
  return names;
}
