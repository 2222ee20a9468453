import { expect, it } from 'vitest';
import { localTraces } from './local-traces.ts';
import type { SourceTree } from './source-tree.ts';

const treeOf = (text: string): SourceTree => ({
  root: '/',
  paths: ['docs/guide.md'],
  code: [],
  workspaces: [],
  rootDependencies: [],
  read: () => text,
});

it.each([
  'see /home/maria/code',
  '"/Users/kim/x"',
  'cd /root/project',
  '(/workspace/main/x)',
  'C:\\Users\\kim',
])('finds a path of one machine: %s', (text) => {
  expect(localTraces.find(treeOf(`# Guide\n${text}`))).toMatchObject([{ file: 'docs/guide.md', line: 2 }]);
});

it.each([
  '/home/you/.mem',
  'https://example.org/builds/x',
  '/api/root/x',
  '/homepage/x',
  'packages/builds/x',
  '/tmp/x',
])('accepts %s', (text) => {
  expect(localTraces.find(treeOf(text))).toEqual([]);
});
