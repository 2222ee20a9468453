import type { Rule } from './rule.ts';
import { isTest } from './source-tree.ts';

const mostLines = 300;
const mostTestLines = 400;

export const fileSizes: Rule = {
  name: 'file-sizes',
  why: 'a file that needs sections should be several files, each with a name that says what it does',
  find: (tree) =>
    tree.code.flatMap(({ path, text }) => {
      const lines = text.trimEnd().split('\n').length;
      const most = isTest(path) ? mostTestLines : mostLines;
      return lines > most ? [{ file: path, message: `${lines} lines, at most ${most}` }] : [];
    }),
};
