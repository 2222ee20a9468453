import type { Finding, Rule } from './rule.ts';

/** Names that tools or conventions require. */
const customary = new Set([
  'README.md',
  'LICENSE',
  'NOTICE',
  'CHANGELOG.md',
  'SECURITY.md',
  'SKILL.md',
  'Dockerfile',
  'Move.toml',
  'Move.lock',
]);
const checkedFolders = /^(apps|packages|testing|contracts|bench|scripts|docs|examples)\//;
/** Words in lower case joined by `-`; dots for endings (`x.test.ts`); `_` only in SQL and Move. */
const kebabCase = /^\.?[a-z0-9]+(?:[-.][a-z0-9]+)*$/;
const snakeCase = /^[a-z0-9]+(?:[_.-][a-z0-9]+)*\.(sql|move|py)$/;
const snakeFolders = /^(contracts|examples)\//;
const saysNothing = /^(utils?|helpers?|misc|common)(\.|$)/;

export const fileNames: Rule = {
  name: 'file-names',
  why: 'kebab-case names look the same on every file system, and a name says what is inside',
  find: (tree) => tree.paths.filter((path) => checkedFolders.test(path)).flatMap(judge),
};

function judge(path: string): Finding[] {
  const parts = path.split('/').slice(1);
  const name = parts.at(-1) ?? '';
  const nothing = parts.find((part) => saysNothing.test(part));
  if (nothing) return [{ file: path, message: `"${nothing}" does not say what is inside` }];
  const folders = parts.slice(0, -1);
  const fits =
    (customary.has(name) || kebabCase.test(name) || snakeCase.test(name)) &&
    folders.every(
      (folder) => kebabCase.test(folder) || (snakeFolders.test(path) && /^[a-z0-9_]+$/.test(folder)),
    );
  return fits ? [] : [{ file: path, message: 'not kebab-case' }];
}
