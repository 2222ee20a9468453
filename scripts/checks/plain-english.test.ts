import { describe, expect, it } from 'vitest';
import { type AllowedMarkers, compareWithAllowed, markerUses } from './plain-english.ts';
import { plantedTree } from './planted-tree.ts';

const shop = (files: Readonly<Record<string, string>>) => plantedTree(['apps/shop'], files);

/** The marker words in one file, as `line kind: name`. */
function uses(path: string, text: string): string[] {
  return markerUses(shop({ [path]: text })).map(({ line, kind, name }) => `${line} ${kind}: ${name}`);
}

describe('plain-english', () => {
  it.each([
    ['anew', 'stores the blob anew'],
    ['nobody', 'Nobody pays for it'],
    ['whoever', 'whoever asks first'],
    ['is told', 'the owner is told of it'],
    ['is told', 'clients have been told'],
    ['so many', 'at most so many jobs'],
    ['beside', 'beside the memories'],
    ['beside', 'and besides that'],
    ['meanwhile', 'Meanwhile the lease ended'],
    ['as good as none', 'such a key is as good as none'],
    ['of before', 'the vectors of before'],
    ['of before', 'the model of today'],
    ['reckoned', 'reckoned from parameters'],
    ['mend', 'mend what is wrong'],
    ['once more', 'stored once more'],
    ['dear', 'dear to compute'],
    ['stands in', 'it stands in the header'],
    ['stands in', 'what stands there'],
  ])('reports "%s" in: %s', (name, text) => {
    expect(uses('apps/shop/src/a.ts', `// ${text}`)).toEqual([`1 comment: ${name}`]);
  });

  it.each([
    'recommended and amended',
    'errors are told apart by code',
    'the test server stands in for the provider',
    'a stand-in for the provider',
    'the result of beforehand',
    'the parameter `beside` is renamed',
  ])('accepts: %s', (text) => {
    expect(uses('apps/shop/src/a.ts', `// ${text}`)).toEqual([]);
  });

  it('reads comments and strings of code, with their lines', () => {
    const text = [
      "import { x } from './anew.ts';",
      '/**',
      ' * Stores it anew.',
      ' */',
      `export const anew = \`price $\{x ? "dear" : 1} is mended\` + 'a // b';`,
      'const pattern = /nobody/; // whoever',
    ].join('\n');
    expect(uses('apps/shop/src/a.ts', text).sort()).toEqual([
      '3 comment: anew',
      '5 string: dear',
      '5 string: mend',
      '6 comment: whoever',
    ]);
  });

  it('reads comments and titles of tests, not their data', () => {
    const text = [
      "describe('anew', () => {",
      "  it.each([1])('is told %s', () => remember('Nobody likes tea')); // meanwhile",
      '});',
    ].join('\n');
    expect(uses('apps/shop/test/a.test.ts', text).sort()).toEqual([
      '1 test title: anew',
      '2 comment: meanwhile',
      '2 test title: is told',
    ]);
  });

  it('reads the prose of Markdown and the comments of SQL and Move', () => {
    expect(uses('docs/guide.md', '# Guide\n\n```sh\nnobody\n```\n\nStored anew, not `beside`.')).toEqual([
      '7 document: anew',
    ]);
    expect(uses('apps/shop/migrations/1.sql', "-- Nobody\nSELECT 'anew';")).toEqual(['1 comment: nobody']);
    expect(uses('contracts/a.move', '/// Nobody\nlet anew = 1;')).toEqual(['1 comment: nobody']);
  });
});

describe('allowed numbers of marker words', () => {
  const tree = shop({ 'apps/shop/src/a.ts': '// anew\n// nobody', 'docs/a.md': 'fine' });
  const messages = (allowed: AllowedMarkers) =>
    compareWithAllowed(tree, allowed).map(({ message }) => message);

  it('accept exactly the number that is there', () => {
    expect(messages({ 'apps/shop': 2 })).toEqual([]);
  });

  it('fail when an area has more', () => {
    expect(messages({ 'apps/shop': 1 })).toEqual([
      expect.stringMatching(/^apps\/shop has 2 marker words and may have 1; .* apps\/shop lists them$/),
    ]);
  });

  it('fail when an area has fewer, so that the number is lowered', () => {
    expect(messages({ 'apps/shop': 3 })).toEqual([
      expect.stringMatching(/^apps\/shop has 2 marker words and may have 3; run .* --write$/),
    ]);
    expect(messages({ 'apps/shop': 2, docs: 1 })).toHaveLength(1);
    expect(messages({ 'apps/shop': 2, docs: 0 })).toHaveLength(1);
  });

  it('name each marker word in an area that may have none', () => {
    expect(compareWithAllowed(tree, {}).map(({ file, line }) => `${file}:${line}`)).toEqual([
      'apps/shop/src/a.ts:1',
      'apps/shop/src/a.ts:2',
    ]);
  });
});
