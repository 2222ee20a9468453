/**
 * `node scripts/checks/plain-english-figures.ts`: prints marker words per 10,000 words for each area. With the name
 * of an area, a folder or a file: lists its marker words. With `--write`: lowers the allowed numbers to the current
 * ones. It never raises one, except with `--raise`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allowedFile, areaOf, humanTexts, type MarkerUse, markerUses, readAllowed } from './plain-english.ts';
import { readSourceTree } from './source-tree.ts';

const tree = readSourceTree(fileURLToPath(new URL('../..', import.meta.url)));
const uses = markerUses(tree);
const wanted = process.argv[2];
if (wanted === undefined) printFigures();
else if (wanted === '--write' || wanted === '--raise') writeAllowed(wanted === '--raise');
else printUses(uses.filter(({ area, file }) => area === wanted || file.startsWith(wanted)));

function printUses(listed: readonly MarkerUse[]): void {
  for (const { file, line, kind, name, instead } of listed)
    console.log(`${file}:${line}: ${kind}: "${name}"; write ${instead}`);
  console.log(`${listed.length} marker words`);
}

function printFigures(): void {
  const words = new Map<string, number>();
  const found = new Map<string, number>();
  const add = (counts: Map<string, number>, keys: readonly string[], count: number) => {
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + count);
  };
  for (const path of tree.paths)
    for (const { kind, text } of humanTexts(tree, path))
      add(
        words,
        [areaOf(tree, path), `all: ${kind}s`, 'all'],
        text.match(/[\p{L}][\p{L}'’-]+/gu)?.length ?? 0,
      );
  for (const { area, kind } of uses) add(found, [area, `all: ${kind}s`, 'all'], 1);
  console.log(`${'area'.padEnd(22)} ${'words'.padStart(8)} markers  per 10,000`);
  for (const [area, count] of [...words].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const markers = found.get(area) ?? 0;
    const share = ((markers * 10_000) / Math.max(count, 1)).toFixed(1);
    console.log(
      `${area.padEnd(22)} ${String(count).padStart(8)} ${String(markers).padStart(7)} ${share.padStart(11)}`,
    );
  }
}

function writeAllowed(raise: boolean): void {
  const allowed = readAllowed(tree);
  const counts = Object.entries(Object.groupBy(uses, ({ area }) => area)).map(
    ([area, listed = []]) =>
      [area, raise ? listed.length : Math.min(listed.length, allowed[area] ?? 0)] as const,
  );
  const kept = counts.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(join(tree.root, allowedFile), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}
