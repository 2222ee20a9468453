import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type Catalogue, en } from '../src/texts/en.ts';
import { type Language, languageNames, loadLanguage, textsIn } from '../src/texts/translate.ts';

const catalogues = await Promise.all(
  Object.keys(languageNames).map(
    async (language) => [language, await loadLanguage(language as Language)] as const,
  ),
);

const source = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);
const read = (file: string): string => readFileSync(join(source, file), 'utf8');

const placeholders = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe.each(catalogues)('the catalogue %s', (_, catalogue: Catalogue) => {
  it('has the same keys as English, all with a text and with the same values', () => {
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(en).sort());
    for (const [key, text] of Object.entries(catalogue)) {
      expect(text.trim(), key).not.toBe('');
      expect(placeholders(text), key).toEqual(placeholders(en[key as keyof typeof en]));
    }
  });
});

it('no text of the application is outside the catalogue', () => {
  const spoken = /^(aria-label|alt|title|placeholder|label|about|text)$/;
  const found: string[] = [];
  for (const file of files.filter((each) => each.endsWith('.tsx'))) {
    const visit = (node: ts.Node): void => {
      if (ts.isJsxText(node) && /\p{L}/u.test(node.text)) found.push(`${file}: ${node.text.trim()}`);
      if (
        ts.isJsxAttribute(node) &&
        spoken.test(node.name.getText()) &&
        node.initializer &&
        ts.isStringLiteral(node.initializer) &&
        /\p{L}/u.test(node.initializer.text)
      )
        found.push(`${file}: ${node.initializer.text}`);
      node.forEachChild(visit);
    };
    visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  }
  // The form of a pairing link is the same in every language
  expect(found).toEqual(['shell/pair-page.tsx: http://127.0.0.1:…/#pairing=…']);
});

it('every text is used', () => {
  const code = files
    .filter((file) => !file.startsWith('texts'))
    .map(read)
    .join('\n');
  const isUsed = (key: string): boolean => {
    const stem = key.replace(/\.(one|other)$/, '');
    const family = `${stem.slice(0, stem.lastIndexOf('.') + 1)}\${`;
    return code.includes(`'${stem}'`) || code.includes(`\`${family}`);
  };
  expect(Object.keys(en).filter((key) => !isUsed(key) && !key.startsWith('problem.'))).toEqual([]);
});

describe('texts', () => {
  it('count in the plural of their language', () => {
    expect(textsIn('en').counted('memories.count', 1)).toBe('1 memory');
    expect(textsIn('en').counted('memories.count', 12_345)).toBe('12,345 memories');
    expect(textsIn('de').counted('memories.count', 12_345)).toBe('12.345 Erinnerungen');
    expect(textsIn('ja').counted('memories.count', 1)).toBe('1 件の記憶');
  });

  it('write sizes and times as the reader expects them', () => {
    const { bytes, ago, percent } = textsIn('en', 'en-GB');
    expect([bytes(1), bytes(999), bytes(1_640), bytes(12_000_000)]).toEqual([
      '1 byte',
      '999 bytes',
      '1.6 kB',
      '12 MB',
    ]);
    expect(percent(0.127)).toBe('13%');
    const now = Date.parse('2026-03-10T12:00:00Z');
    expect(ago('2026-03-10T11:59:40Z', now)).toBe('now');
    expect(ago('2026-03-10T11:55:00Z', now)).toBe('5 minutes ago');
    expect(ago('2026-03-09T11:00:00Z', now)).toBe('yesterday');
    expect(ago('2026-02-01T12:00:00Z', now)).toBe('1 Feb 2026');
    // A clock that is behind the relayer's
    expect(ago('2026-03-10T12:00:03Z', now)).toBe('now');
  });
});
