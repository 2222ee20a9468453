import type { Rule } from './rule.ts';
import { isTest } from './source-tree.ts';

const marks = /\b(TODO|FIXME|XXX|HACK)\b/;
const narrowed =
  /\b(?:describe|it|test|suite|bench)(?:\.\w+)*\.(?:skip|only|todo)\b|\bx(?:it|describe|test)\(/;
/** This rule and its test contain the marks that they look for. */
const exempt = /^scripts\/checks\/unfinished-work\./;

export const unfinishedWork: Rule = {
  name: 'unfinished-work',
  why: 'a mark in the code is forgotten, and a test that does not run proves nothing; `skipIf` with a reason is fine',
  find: (tree) =>
    tree.code
      .filter(({ path }) => !exempt.test(path))
      .flatMap(({ path, text }) =>
        text.split('\n').flatMap((content, index) => {
          const found = marks.exec(content) ?? (isTest(path) ? narrowed.exec(content) : null);
          return found ? [{ file: path, line: index + 1, message: `"${found[0]}"` }] : [];
        }),
      ),
};
