import { text as readAll } from 'node:stream/consumers';
import { ExitError, exitCodes } from './exit-codes.ts';

/** The text that a command was given: its words, or all of stdin for `-`. Throws when it is empty. */
export async function givenText(words: readonly string[], what: string): Promise<string> {
  const text =
    words.length === 1 && words[0] === '-' ? (await readAll(process.stdin)).trimEnd() : words.join(' ');
  if (text.trim() === '') throw new ExitError(exitCodes.usage, `There is no ${what}.`);
  return text;
}
