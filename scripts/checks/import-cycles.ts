import type { Finding, Rule } from './rule.ts';
import { packageOf, relativeTarget } from './source-imports.ts';
import type { SourceFile, SourceTree } from './source-tree.ts';

export const importCycles: Rule = {
  name: 'import-cycles',
  why: 'files that need each other cannot be read or loaded one after the other; what both need wants a file of its own',
  find(tree) {
    const graph = new Map(tree.code.map((file) => [file.path, targets(tree, file)]));
    return cyclesOf(graph).map((cycle) => toFinding(cycle));
  },
};

function toFinding(cycle: readonly string[]): Finding {
  return { file: cycle[0] ?? '', message: `imports itself: ${[...cycle, cycle[0]].join(' → ')}` };
}

/** Files of ours that a file imports, also through a package name (`@memrelay/x/y` is `x/src/y.ts`). */
function targets(tree: SourceTree, file: SourceFile): string[] {
  return file.imports.flatMap(({ specifier }) => {
    const relative = relativeTarget(file.path, specifier);
    if (relative) return [relative];
    const name = packageOf(specifier);
    const workspace = tree.workspaces.find((candidate) => candidate.name === name);
    return workspace ? [`${workspace.folder}/src${specifier.slice(workspace.name.length)}.ts`] : [];
  });
}

/** Depth-first search; each cycle is told once, by the edge that closes it. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const seenAt = path.indexOf(file);
    if (seenAt >= 0) {
      cycles.push(path.slice(seenAt));
      return;
    }
    if (finished.has(file)) return;
    path.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    path.pop();
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return cycles;
}
