/**
 * `node scripts/checks/folder-figures.ts [--order]`: prints for each workspace how many folders `src` has, how many
 * pairs of them import each other, and the largest import cycle. With `--order` also the order that the imports allow.
 */
import { fileURLToPath } from 'node:url';
import { computeLevels, folderGraph, largestCycle, mutualPairs, topFiles } from './folder-graph.ts';
import { readSourceTree } from './source-tree.ts';

const withOrder = process.argv.includes('--order');
const tree = readSourceTree(fileURLToPath(new URL('../..', import.meta.url)));
const rows = tree.workspaces
  .map(({ folder }) => ({ workspace: folder, graph: folderGraph(tree, folder) }))
  .filter(({ graph }) => graph.folders.length > 0);

console.log(`${'workspace'.padEnd(20)} folders  mutual pairs  largest cycle`);
for (const { workspace, graph } of rows) {
  const folders = graph.folders.filter((folder) => folder !== topFiles).length;
  const pairs = mutualPairs(graph);
  const cycle = largestCycle(graph);
  console.log(
    `${workspace.padEnd(20)} ${String(folders).padStart(7)}  ${String(pairs.length).padStart(12)}  ${String(cycle.length).padStart(13)}`,
  );
  if (!withOrder) continue;
  const levels = computeLevels(graph);
  if (levels) console.log(`    ${levels.map((level) => level.join(' | ')).join(' < ')}`);
  else
    console.log(
      `    cycle: ${cycle.join(', ')}\n    pairs: ${pairs.map((pair) => pair.join(' and ')).join(', ')}`,
    );
}
