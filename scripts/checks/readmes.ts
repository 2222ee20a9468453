import type { Finding, Rule } from './rule.ts';
import type { SourceTree } from './source-tree.ts';

/** An example is a fenced block that begins within these lines. */
const firstLines = 15;

export const readmes: Rule = {
  name: 'readmes',
  why: 'a README shows first what its workspace does and how to use it',
  find: (tree) => tree.workspaces.flatMap(({ folder }) => judge(tree, `${folder}/README.md`)),
};

function judge(tree: SourceTree, file: string): Finding[] {
  if (!tree.paths.includes(file)) return [{ file, message: 'missing; start it with an example' }];
  const lines = tree.read(file).split('\n').slice(0, firstLines);
  if (lines.some((line) => line.startsWith('```'))) return [];
  return [{ file, message: `no example (a fenced block) in the first ${firstLines} lines` }];
}
