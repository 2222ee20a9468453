import { ownImports } from './own-imports.ts';
import { isTest, type SourceTree } from './source-tree.ts';

/** Name of the files that are directly in `src`. */
export const topFiles = '.';

export interface FolderImport {
  file: string;
  line: number;
  /** Folder of the importing file: a folder directly in `src`, or `topFiles`. */
  from: string;
  to: string;
  target: string;
}

export interface FolderGraph {
  /** Folders directly in `src` that contain code other than tests, and `topFiles` if it has such files. */
  folders: readonly string[];
  /** Imports from one of these folders to another one, types included, tests excluded. */
  imports: readonly FolderImport[];
}

/** The folder of a file: the part of its path after `source` (`…/src/`) that names a folder, or `topFiles`. */
export function folderOf(path: string, source: string): string {
  const parts = path.slice(source.length).split('/');
  return parts.length > 1 ? (parts[0] ?? topFiles) : topFiles;
}

/** The folders of one workspace and the imports between them. */
export function folderGraph(tree: SourceTree, workspace: string): FolderGraph {
  const source = `${workspace}/src/`;
  const files = tree.code.filter(({ path }) => path.startsWith(source) && !isTest(path));
  const imports = files.flatMap((file) => {
    const from = folderOf(file.path, source);
    return ownImports(tree, file)
      .filter(({ target }) => target.startsWith(source))
      .map(({ target, line }) => ({ file: file.path, line, from, to: folderOf(target, source), target }))
      .filter(({ to }) => to !== from);
  });
  return { folders: [...new Set(files.map(({ path }) => folderOf(path, source)))].sort(), imports };
}

/** Names of the folders that each folder imports. */
export function folderEdges({ folders, imports }: FolderGraph): Map<string, Set<string>> {
  const edges = new Map(folders.map((folder) => [folder, new Set<string>()]));
  for (const { from, to } of imports) edges.get(from)?.add(to);
  return edges;
}

/**
 * The folders from the lowest level to the highest: each level imports only levels before it.
 * Undefined when folders import each other in a cycle.
 */
export function computeLevels(graph: FolderGraph): string[][] | undefined {
  const edges = folderEdges(graph);
  const levels: string[][] = [];
  const placed = new Set<string>();
  while (placed.size < edges.size) {
    const level = [...edges]
      .filter(
        ([folder, targets]) =>
          !placed.has(folder) && [...targets].every((to) => placed.has(to) || !edges.has(to)),
      )
      .map(([folder]) => folder);
    if (level.length === 0) return undefined;
    levels.push(level);
    for (const folder of level) placed.add(folder);
  }
  return levels;
}

/** Pairs of folders that import each other directly. */
export function mutualPairs(graph: FolderGraph): [string, string][] {
  const edges = folderEdges(graph);
  return [...edges].flatMap(([a, targets]) =>
    [...targets].filter((b) => a < b && edges.get(b)?.has(a)).map((b): [string, string] => [a, b]),
  );
}

/** The largest set of folders in which each can be reached from every other one; empty when there is no cycle. */
export function largestCycle(graph: FolderGraph): string[] {
  const edges = folderEdges(graph);
  const reach = new Map([...edges.keys()].map((folder) => [folder, reachable(edges, folder)]));
  const cycles = [...edges.keys()].map((a) =>
    [...edges.keys()].filter((b) => reach.get(a)?.has(b) && reach.get(b)?.has(a)),
  );
  return cycles.reduce((largest, cycle) => (cycle.length > largest.length ? cycle : largest), []);
}

function reachable(edges: ReadonlyMap<string, ReadonlySet<string>>, start: string): Set<string> {
  const found = new Set<string>();
  const open = [...(edges.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(edges.get(next) ?? []));
  }
  return found;
}
