import { expect, it } from 'vitest';
import { namespaceNames } from '../src/scope/namespace-names.ts';
import { scopeOf, scopeWords } from '../src/scope/scope-choice.ts';
import { cleanLabel, harmless } from '../src/ui/harmless-text.ts';

it.each([
  ['Claude Code', 'Claude Code', 'Claude Code'],
  ['two\n\nlines\tand  more', 'two lines and more', 'two lines and more'],
  ['evil\u202Egnp.exe', 'evil\uFFFDgnp.exe', 'evilgnp.exe'],
  ['\u2066isolated\u2069', '\uFFFDisolated\uFFFD', 'isolated'],
  ['zero\u200Bwidth\uFEFF', 'zero\uFFFDwidth', 'zerowidth'],
  ['\u001B[31mred', '\uFFFD[31mred', '[31mred'],
  [`a${'\u0301'.repeat(50)}b`, 'a\u0301\u0301b', 'a\u0301\u0301b'],
  ['\u200B\u200B', '\uFFFD\uFFFD', 'unnamed tool'],
  ['שלום', 'שלום', 'שלום'],
])('shows and writes %j harmlessly', (text, shown, written) => {
  expect(harmless(text)).toBe(shown);
  expect(cleanLabel(text)).toBe(written);
});

it('a long text is cut with an ellipsis, without splitting a character', () => {
  expect(harmless('🙂'.repeat(100), 10)).toBe(`${'🙂'.repeat(9)}…`);
});

it('parses one namespace per line and rejects names that no relayer accepts', () => {
  expect(namespaceNames('work\n\ndefault\nwork\n my notes ')).toEqual(['work', 'default', ' my notes ']);
  for (const text of [
    '',
    ' \n ',
    'x'.repeat(129),
    'a\u0007',
    Array.from({ length: 17 }, (_, i) => i).join('\n'),
  ])
    expect(namespaceNames(text)).toHaveProperty('problem');
});

it('a choice becomes tags of the account and a readable description', () => {
  const origin = `0x${'b'.repeat(64)}`;
  const scope = scopeOf({ perms: 7, namespaces: ['work', 'default'], expiresAt: undefined }, origin);
  expect(scope).toMatchObject({ perms: 7, allNamespaces: false, expiresAtMs: '0' });
  expect(new Set(scope.tags).size).toBe(2);
  expect(scopeWords(scope)).toBe('recall, save and forget, in 2 namespaces, until you revoke it');
  expect(scopeWords({ perms: 1, allNamespaces: true, tags: [], expiresAtMs: '1' })).toMatch(
    /^recall, in all namespaces, expired on /,
  );
});
