import { buildSourceTree, type SourceTree } from './source-tree.ts';

/** A tree in memory for tests of rules: workspaces by folder (named `@memrelay/…`), and files by path. */
export function plantedTree(
  workspaces: readonly string[],
  files: Readonly<Record<string, string>>,
): SourceTree {
  const manifests = workspaces.map((folder) => [
    `${folder}/package.json`,
    JSON.stringify({ name: `@memrelay/${folder.split('/').at(-1)}` }),
  ]);
  const all: Record<string, string> = { ...Object.fromEntries(manifests), ...files };
  return buildSourceTree('/', Object.keys(all), (path) => all[path] ?? '');
}
