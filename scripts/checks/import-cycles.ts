import { ownImports } from './own-imports.ts';
import type { Finding, Rule } from './rule.ts';

export const importCycles: Rule = {
  name: 'import-cycles',
  why: 'files that need each other cannot be read or loaded one after the other; move the code that both need to a separate file',
  find(tree) {
    const graph = new Map(
      tree.code.map((file) => [file.path, ownImports(tree, file).map(({ target }) => target)]),
    );
    return cyclesOf(graph).map((cycle) => toFinding(cycle));
  },
};

function toFinding(cycle: readonly string[]): Finding {
  return { file: cycle[0] ?? '', message: `imports itself: ${[...cycle, cycle[0]].join(' → ')}` };
}

/** Depth-first search; each cycle is reported once, at the edge that closes it. */
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
