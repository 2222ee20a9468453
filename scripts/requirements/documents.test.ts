import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, linksOf, withoutCode } from './markdown.ts';
import { markdownFiles, repository } from './repository.ts';

const folders = new Set(repository.paths.map((path) => posix.dirname(path)));
const isThere = (path: string): boolean => repository.paths.includes(path) || folders.has(path);

/** Pages that describe the current state; the others also name files that the reader is to create. */
const descriptions = markdownFiles.filter((file) => file.startsWith('docs/') || file.endsWith('README.md'));

describe('Markdown', () => {
  it('links only to existing files and headings', () => {
    const broken = markdownFiles.flatMap((file) =>
      linksOf(repository.read(file)).flatMap((link) => {
        if (/^[a-z]+:/.test(link)) return [];
        const [target = '', anchor] = link.split('#');
        const path = target === '' ? file : posix.join(posix.dirname(file), target).replace(/\/$/, '');
        if (!isThere(path)) return [`${file}: ${link}`];
        if (anchor === undefined || anchorsOf(repository.read(path)).has(anchor)) return [];
        return [`${file}: ${link} (no such heading)`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('names only existing files of the repository', () => {
    const named = /`((?:apps|packages|testing|contracts|scripts|docs|bench|examples)\/[\w./-]*\w)`/g;
    const missing = descriptions.flatMap((file) =>
      [...repository.read(file).matchAll(named)]
        .map(([, path]) => path!)
        .filter((path) => !isThere(path))
        .map((path) => `${file}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('has one title, and no heading that skips a level', () => {
    const wrong = descriptions.filter((file) => {
      const levels = [...withoutCode(repository.read(file)).matchAll(/^(#+) /gm)].map(
        ([, marks]) => marks!.length,
      );
      return levels[0] !== 1 || levels.slice(1).some((level, i) => level === 1 || level > levels[i]! + 1);
    });
    expect(wrong).toEqual([]);
  });
});

it('docs/architecture.md describes exactly the tables of the database', () => {
  const sql = repository.paths
    .filter((path) => /^apps\/relayer\/(?:migrations\/.+\.sql|src\/base\/db\/migrate\.ts)$/.test(path))
    .map((path) => repository.read(path))
    .join('\n');
  const tables = [...sql.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(([, name]) => name!);
  const [, section = ''] = repository.read('docs/architecture.md').split('In the database');
  const [rows = ''] = section.split('In Redis');
  const listed = [...rows.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  );
  expect(listed.toSorted()).toEqual(tables.toSorted());
});

it.each([
  ['a guess of a namespace can be tested by anyone', /guess is right: the tag can be computed/],
  ['vectors can be inverted, and who can undo the map', /can undo the map/],
  [
    'what revocation promises, with its times',
    /within 5 seconds[\s\S]+within 2 minutes[\s\S]+within 60 seconds/,
  ],
  ['what was in scope counts as disclosed', /in its scope up to the old epoch counts as disclosed/],
  [
    'a threshold below the number of key servers, or a committee',
    /threshold below their number, or a committee/,
  ],
  ['destroy or restrict the upgrade capability', /Destroy the upgrade capability, or restrict it/],
  ['one delegate key for each relayer', /use one delegate key for each relayer/],
  ['all keys share one disk on the embedded network', /embedded network all keys share one disk/],
])('docs/security.md says: %s', (_what, words) => {
  expect(repository.read('docs/security.md')).toMatch(words);
});
