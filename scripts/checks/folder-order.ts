import { computeLevels, type FolderGraph, folderGraph, topFiles } from './folder-graph.ts';
import { folderOrders, pendingOrders } from './folder-orders.ts';
import type { Finding, Rule } from './rule.ts';
import type { SourceTree } from './source-tree.ts';

export type FolderOrders = Readonly<Record<string, readonly (string | readonly string[])[]>>;

const table = 'scripts/checks/folder-orders.ts';

export const folderOrder: Rule = {
  name: 'folder-order',
  why: 'folders that import only the folders below them can be read, tested and changed from the bottom up; import cycles between folders tie all of them together',
  find: (tree) => findOrderBreaks(tree, folderOrders, pendingOrders),
};

/** What breaks the given orders. A pending workspace is reported only when it no longer breaks the rule. */
export function findOrderBreaks(
  tree: SourceTree,
  orders: FolderOrders,
  pending: readonly string[],
): Finding[] {
  const folders = tree.workspaces.map(({ folder }) => folder);
  const unknown = [...new Set([...Object.keys(orders), ...pending])]
    .filter((name) => !folders.includes(name))
    .map((name) => ({ file: table, message: `${name} is not a workspace; remove it` }));
  const broken = folders.flatMap((workspace) => {
    const graph = folderGraph(tree, workspace);
    const order = orders[workspace];
    if (pending.includes(workspace)) return pendingInOrder(workspace, graph, order);
    return order ? breaksOf(workspace, graph, order) : withoutOrder(workspace, graph);
  });
  return [...unknown, ...broken];
}

function pendingInOrder(
  workspace: string,
  graph: FolderGraph,
  order: FolderOrders[string] | undefined,
): Finding[] {
  const levels = computeLevels(graph);
  const inOrder = order ? breaksOf(workspace, graph, order).length === 0 : levels !== undefined;
  const hint = order || !levels ? '' : ` and add its order: ${describe(levels)}`;
  return inOrder
    ? [{ file: table, message: `${workspace} is in order; remove it from pendingOrders${hint}` }]
    : [];
}

function withoutOrder(workspace: string, graph: FolderGraph): Finding[] {
  const hasFolders = graph.folders.some((folder) => folder !== topFiles);
  return hasFolders ? [{ file: table, message: `${workspace} has folders in src and no order` }] : [];
}

function breaksOf(workspace: string, graph: FolderGraph, order: FolderOrders[string] = []): Finding[] {
  const levels = levelsOf(order);
  const inTable = (message: string) => ({ file: table, message: `${workspace}: ${message}` });
  const unlisted = graph.folders.filter((folder) => !levels.has(folder));
  const stale = [...levels.keys()].filter((folder) => folder !== topFiles && !graph.folders.includes(folder));
  const wrong = graph.imports.flatMap(({ file, line, from, to, target }): Finding[] => {
    const fromLevel = levels.get(from);
    const toLevel = levels.get(to);
    if (fromLevel === undefined || toLevel === undefined || toLevel < fromLevel) return [];
    const relation = toLevel === fromLevel ? 'on the same level as' : 'above';
    return [{ file, line, message: `imports ${target}; ${label(to)} is ${relation} ${label(from)}` }];
  });
  return [
    ...unlisted.map((folder) => inTable(`folder ${folder} has no place in the order`)),
    ...stale.map((folder) => inTable(`there is no folder ${folder}`)),
    ...wrong,
  ];
}

function levelsOf(order: FolderOrders[string] = []): Map<string, number> {
  const levels = new Map(
    order.flatMap((names, level) => [names].flat().map((name) => [name, level] as const)),
  );
  if (!levels.has(topFiles)) levels.set(topFiles, order.length);
  return levels;
}

function label(folder: string): string {
  return folder === topFiles ? 'src itself' : folder;
}

function describe(levels: readonly string[][]): string {
  return levels.map((level) => level.join(' | ')).join(' < ');
}
