import { expect, it } from 'vitest';
import { lockfile } from './lockfile.ts';
import type { SourceTree } from './source-tree.ts';

const treeOf = (packages: object): SourceTree => ({
  root: '/',
  paths: ['package-lock.json'],
  code: [],
  workspaces: [],
  rootDependencies: [],
  read: () => JSON.stringify({ packages }),
});

it('finds an optional dependency that is missing from the lockfile', () => {
  const tree = treeOf({
    '': {},
    'node_modules/lint': { optionalDependencies: { 'lint-linux': '1', 'lint-darwin': '1' } },
    'node_modules/lint-linux': {},
  });
  expect(lockfile.find(tree).map(({ message }) => message)).toEqual([
    'lint-darwin, an optional dependency of node_modules/lint, has no entry',
  ]);
});

it('looks where Node looks: in the package, then in each folder above', () => {
  const needs = { optionalDependencies: { addon: '1' } };
  const places = [
    'node_modules/a/node_modules/b/node_modules/addon',
    'node_modules/a/node_modules/addon',
    'node_modules/addon',
  ];
  for (const place of places) {
    expect(lockfile.find(treeOf({ 'node_modules/a/node_modules/b': needs, [place]: {} }))).toEqual([]);
  }
  const elsewhere = { 'node_modules/a/node_modules/b': needs, 'node_modules/c/node_modules/addon': {} };
  expect(lockfile.find(treeOf(elsewhere))).toHaveLength(1);
});
