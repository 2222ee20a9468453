import { expect, it } from 'vitest';
import { formsOf } from './text-forms.ts';

const word = 'canary0123456789';
const isFoundIn = (bytes: Buffer): boolean => formsOf(word).some((form) => bytes.includes(form));

it.each([
  ['plain', Buffer.from(`a ${word}.`)],
  ['UTF-16', Buffer.from(`a ${word}.`, 'utf16le')],
  ['UTF-16, the other way round', Buffer.from(`a ${word}.`, 'utf16le').swap16()],
  ['hex', Buffer.from(Buffer.from(`a ${word}.`).toString('hex'))],
  ['hex in capitals', Buffer.from(Buffer.from(`a ${word}.`).toString('hex').toUpperCase())],
  ...['', 'a', 'ab', 'abc'].flatMap((before) =>
    (['base64', 'base64url'] as const).map(
      (form) =>
        [
          `${form} after ${before.length}`,
          Buffer.from(Buffer.from(`${before}${word}ÿÿ`).toString(form)),
        ] as const,
    ),
  ),
  ['base64 of UTF-16', Buffer.from(Buffer.from(`ab${word}c`, 'utf16le').toString('base64'))],
] as const)('finds a text in a file that contains it as %s', (_, bytes) => {
  expect(isFoundIn(bytes)).toBe(true);
});

it('does not find a text that the file does not contain', () => {
  expect(isFoundIn(Buffer.from('canary987654321 Y2FuYXJ5'))).toBe(false);
});
