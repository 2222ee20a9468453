import type { Rule } from './rule.ts';
import { isTest } from './source-tree.ts';

const maxLines = 300;
const maxTestLines = 400;

export const fileSizes: Rule = {
  name: 'file-sizes',
  why: 'a file that needs sections should be several files, each with a name that says what it does',
  find: (tree) =>
    tree.code.flatMap(({ path, text }) => {
      const lines = text.trimEnd().split('\n').length;
      const limit = isTest(path) ? maxTestLines : maxLines;
      return lines > limit ? [{ file: path, message: `${lines} lines, at most ${limit}` }] : [];
    }),
};
