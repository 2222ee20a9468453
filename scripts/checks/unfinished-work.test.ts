import { expect, it } from 'vitest';
import type { SourceTree } from './source-tree.ts';
import { unfinishedWork } from './unfinished-work.ts';

const treeOf = (path: string, text: string): SourceTree => ({
  root: '/',
  paths: [path],
  code: [{ path, text, imports: [] }],
  workspaces: [],
  rootDependencies: [],
  read: () => text,
});

it.each([
  '// TODO: later',
  'it.skip("x")',
  'describe.only("x")',
  'it.concurrent.skip("x")',
  'test.todo("x")',
  'xit("x")',
])('finds %s', (text) => {
  const path = 'apps/x/test/a.test.ts';
  expect(unfinishedWork.find(treeOf(path, `ok;\n${text}`))).toMatchObject([{ file: path, line: 2 }]);
});

it.each(['describe.skipIf(!hasPostgres)("x")', 'it.each([1])("x")', 'const todo = 1;', 'rows.only.skip'])(
  'accepts %s',
  (text) => {
    expect(unfinishedWork.find(treeOf('apps/x/test/a.test.ts', text))).toEqual([]);
  },
);
