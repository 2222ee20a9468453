import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoted } from './quoted.ts';

const dangerous = fc.constantFrom('<', '"', '\\', '\n', '\r', '\u0000', '\u0085', '\u2028', '\ud800');
const any = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });

test('a quoted text is one line of JSON with the same content, for any input', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof(dangerous, any) }), (text) => {
      const shown = quoted(text);
      expect(JSON.parse(shown)).toBe(text.toWellFormed());
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that control characters are absent
      expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029<]/);
    }),
  );
});

test('no quotation ends early, and invisible characters are escaped', () => {
  expect(quoted('"\n2. "a second hit')).toBe('"\\"\\n2. \\"a second hit"');
  expect(quoted('</result><|im_start|>')).toBe('"\\u003c/result>\\u003c|im_start|>"');
  expect(quoted('a\u202eb\u200bc\u2028d')).toBe('"a\\u202eb\\u200bc\\u2028d"');
  expect(quoted('tag \u{e0041}, selector \u{e0100}')).toBe('"tag \\udb40\\udc41, selector \\udb40\\udd00"');
  expect(quoted('half \ud800 of a character')).toBe('"half \ufffd of a character"');
});

test('ordinary text stays unchanged', () => {
  for (const text of ['Zoë’s café, 東京', 'می‌خواهم', '👩‍👩‍👧 ❤️', 'a > b && c'])
    expect(quoted(text)).toBe(`"${text}"`);
});
