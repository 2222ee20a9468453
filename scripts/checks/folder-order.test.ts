import { describe, expect, it } from 'vitest';
import { computeLevels, folderGraph, largestCycle, mutualPairs, topFiles } from './folder-graph.ts';
import { type FolderOrders, findOrderBreaks } from './folder-order.ts';
import { plantedTree } from './planted-tree.ts';

const order = ['base', ['accounts', 'blobs'], 'jobs'];

/** What the rule reports for `apps/shop` with these files, as `file:line message`. */
function breaks(
  files: Readonly<Record<string, string>>,
  orders: FolderOrders = { 'apps/shop': order },
  pending: readonly string[] = [],
): string[] {
  const inSource = Object.entries(files).map(([path, text]) => [`apps/shop/src/${path}`, text]);
  const tree = plantedTree(['apps/shop'], Object.fromEntries(inSource));
  return findOrderBreaks(tree, orders, pending).map(
    ({ file, line, message }) => `${file.replace(/^.*\/(src|checks)\//, '')}:${line ?? ''} ${message}`,
  );
}

const inOrder = {
  'base/db.ts': 'export type Db = string;',
  'accounts/account.ts': "import type { Db } from '../base/db.ts';",
  'blobs/deep/blob.ts': "import { Db } from '@memrelay/shop/base/db';",
  'jobs/job.ts': "import '../accounts/account.ts';\nimport '../blobs/deep/blob.ts';\nimport './queue.ts';",
  'jobs/queue.ts': '',
  'main.ts': "import './jobs/job.ts';",
};

describe('folder-order', () => {
  it('accepts imports of lower folders, of the own folder, and from files directly in src', () => {
    expect(breaks(inOrder)).toEqual([]);
  });

  it.each([
    ['an import', "import { job } from '../jobs/job.ts';"],
    ['a type import', "import type { Job } from '../jobs/job.ts';"],
    ['an inline import type', "export type Job = import('../jobs/job.ts').Job;"],
    ['a re-export', "export { job } from '../jobs/job.ts';"],
    ['a dynamic import', "const { job } = await import('../jobs/job.ts');"],
    ['an import by package name', "import { job } from '@memrelay/shop/jobs/job';"],
  ])('rejects %s of a higher folder', (_, statement) => {
    expect(breaks({ ...inOrder, 'base/db.ts': `\n${statement}` })).toEqual([
      'base/db.ts:2 imports apps/shop/src/jobs/job.ts; jobs is above base',
    ]);
  });

  it('rejects imports between folders of one level', () => {
    expect(breaks({ ...inOrder, 'accounts/account.ts': "import '../blobs/deep/blob.ts';" })).toEqual([
      'accounts/account.ts:1 imports apps/shop/src/blobs/deep/blob.ts; blobs is on the same level as accounts',
    ]);
  });

  it('rejects imports of files directly in src, unless the order puts these files lower', () => {
    const files = { ...inOrder, 'main.ts': '', 'jobs/job.ts': "import '../main.ts';" };
    expect(breaks(files)).toEqual(['jobs/job.ts:1 imports apps/shop/src/main.ts; src itself is above jobs']);
    expect(breaks(files, { 'apps/shop': ['base', topFiles, ['accounts', 'blobs'], 'jobs'] })).toEqual([]);
  });

  it('rejects a folder that the order does not list', () => {
    expect(breaks({ ...inOrder, 'billing/invoice.ts': '' })).toEqual([
      'folder-orders.ts: apps/shop: folder billing has no place in the order',
    ]);
  });

  it('rejects a listed folder that does not exist', () => {
    expect(breaks(inOrder, { 'apps/shop': [...order, 'billing'] })).toEqual([
      'folder-orders.ts: apps/shop: there is no folder billing',
    ]);
  });

  it('rejects a workspace that has folders and no order, and a listed workspace that does not exist', () => {
    expect(breaks(inOrder, {})).toEqual(['folder-orders.ts: apps/shop has folders in src and no order']);
    expect(breaks({ 'main.ts': '' }, {})).toEqual([]);
    expect(breaks(inOrder, { 'apps/shop': order, 'apps/gone': ['base'] })).toEqual([
      'folder-orders.ts: apps/gone is not a workspace; remove it',
    ]);
  });

  it('ignores tests', () => {
    expect(breaks({ ...inOrder, 'base/db.test.ts': "import '../jobs/job.ts';" })).toEqual([]);
  });

  it('ignores a pending workspace until it is in order', () => {
    const cycle = { ...inOrder, 'base/db.ts': "import '../jobs/job.ts';" };
    const remove = 'folder-orders.ts: apps/shop is in order; remove it from pendingOrders';
    expect(breaks(cycle, {}, ['apps/shop'])).toEqual([]);
    expect(breaks(cycle, { 'apps/shop': order }, ['apps/shop'])).toEqual([]);
    expect(breaks(inOrder, { 'apps/shop': order }, ['apps/shop'])).toEqual([remove]);
    expect(breaks(inOrder, {}, ['apps/shop'])).toEqual([
      `${remove} and add its order: base < accounts | blobs < jobs < .`,
    ]);
  });
});

describe('folder figures', () => {
  const graphOf = (files: Readonly<Record<string, string>>) =>
    folderGraph(plantedTree(['apps/shop'], files), 'apps/shop');

  it('finds mutual pairs and the largest cycle', () => {
    const graph = graphOf({
      'apps/shop/src/a/a.ts': "import '../b/b.ts';",
      'apps/shop/src/b/b.ts': "import '../a/a.ts';\nimport '../c/c.ts';",
      'apps/shop/src/c/c.ts': "import '../main.ts';",
      'apps/shop/src/d/d.ts': "import '../c/c.ts';",
      'apps/shop/src/main.ts': "import './a/a.ts';",
    });
    expect(mutualPairs(graph)).toEqual([['a', 'b']]);
    expect(largestCycle(graph)).toEqual([topFiles, 'a', 'b', 'c']);
    expect(computeLevels(graph)).toBeUndefined();
  });

  it('computes the levels of folders without a cycle', () => {
    const graph = graphOf({ 'apps/shop/src/a/a.ts': "import '../b/b.ts';", 'apps/shop/src/b/b.ts': '' });
    expect(computeLevels(graph)).toEqual([['b'], ['a']]);
    expect(largestCycle(graph)).toEqual([]);
  });
});
