import { codeTexts, documentText, type HumanText, lineComments, type TextKind } from './human-text.ts';
import { markersIn, markerWords } from './marker-words.ts';
import type { Finding, Rule } from './rule.ts';
import { lineAt } from './source-imports.ts';
import { ownerOf, type SourceTree } from './source-tree.ts';

export const allowedFile = 'scripts/checks/plain-english-allowed.json';
const listCommand = 'node scripts/checks/plain-english-figures.ts';
/** These files contain the words they look for. */
const exempt = /^scripts\/checks\/(?:marker-words|plain-english)/;
const anyMarker = new RegExp(markerWords.map(({ pattern }) => pattern.source).join('|'), 'i');

export const plainEnglish: Rule = {
  name: 'plain-english',
  why: 'these words mark sentences that read like a translation; write what you would say to a colleague (STYLE.md, "English")',
  find: (tree) => compareWithAllowed(tree, readAllowed(tree)),
};

export interface MarkerUse {
  /** Workspace or top folder; `.` for files in the root. */
  area: string;
  file: string;
  line: number;
  kind: TextKind;
  name: string;
  instead: string;
}

/** Number of marker words that each area may still have. An area that is not listed may have none. */
export type AllowedMarkers = Readonly<Record<string, number>>;

/** Reports areas with more marker words than allowed, and areas whose number can be lowered. */
export function compareWithAllowed(tree: SourceTree, allowed: AllowedMarkers): Finding[] {
  const uses = Map.groupBy(markerUses(tree), ({ area }) => area);
  const areas = [...new Set([...Object.keys(allowed), ...uses.keys()])].sort();
  return areas.flatMap((area) => {
    const found = uses.get(area) ?? [];
    const most = allowed[area] ?? 0;
    if (found.length === most) return most === 0 && area in allowed ? [stale(area)] : [];
    if (found.length < most)
      return [
        inFile(`${area} has ${found.length} marker words and may have ${most}; run ${listCommand} --write`),
      ];
    const more = `${area} has ${found.length} marker words and may have ${most}; ${listCommand} ${area} lists them`;
    return most === 0 ? found.map(toFinding) : [inFile(more)];
  });
}

export function markerUses(tree: SourceTree): MarkerUse[] {
  const code = new Map(tree.code.map((file) => [file.path, file]));
  return tree.paths
    .filter((path) => textFile.test(path) && !exempt.test(path))
    .flatMap((path) => {
      const text = code.get(path)?.text ?? tree.read(path);
      // Parsing every file would take seconds
      if (!anyMarker.test(text)) return [];
      return humanTexts(tree, path).flatMap((piece) =>
        markersIn(piece.text).map(({ name, index, instead }) => ({
          area: areaOf(tree, path),
          file: path,
          line: lineAt(text, piece.start + index),
          kind: piece.kind,
          name,
          instead,
        })),
      );
    });
}

const textFile = /\.(?:ts|tsx|mts|mjs|js|md|sql|move)$/;

/** Everything in a file that is written for people. */
export function humanTexts(tree: SourceTree, path: string): HumanText[] {
  const file = tree.code.find((candidate) => candidate.path === path);
  if (file) return codeTexts(file);
  if (path.endsWith('.md')) return [documentText(tree.read(path))];
  if (path.endsWith('.sql')) return lineComments(tree.read(path), '--');
  return path.endsWith('.move') ? lineComments(tree.read(path), '//') : [];
}

export function areaOf(tree: SourceTree, path: string): string {
  return path.includes('/') ? ownerOf(tree, path) : '.';
}

export function readAllowed(tree: SourceTree): AllowedMarkers {
  return tree.paths.includes(allowedFile) ? (JSON.parse(tree.read(allowedFile)) as AllowedMarkers) : {};
}

function toFinding({ file, line, name, instead }: MarkerUse): Finding {
  return { file, line, message: `"${name}"; write ${instead}` };
}

function inFile(message: string): Finding {
  return { file: allowedFile, message };
}

function stale(area: string): Finding {
  return inFile(`${area} has no marker words; run ${listCommand} --write`);
}
