import { folderOf } from './folder-graph.ts';
import type { Finding, Rule } from './rule.ts';
import { lineAt } from './source-imports.ts';
import { isTest, type SourceFile, type SourceTree } from './source-tree.ts';

const source = 'apps/relayer/src/';
/** A call of `query` on a client or pool, with or without a row type. */
const queryCall = /\.query\s*(?:<[^()]*>)?\(/;
/** Allowed folders for SQL: `rows`, and the folder that wraps the database drivers. */
const allowed = /(?:^|\/)rows\/|^base\/db\//;

/**
 * Folders of `apps/relayer/src` that still have SQL elsewhere. The check fails when one of them no longer has any:
 * then remove it here.
 */
export const pendingFolders: readonly string[] = [];

export const sqlInRows: Rule = {
  name: 'sql-in-rows',
  why: 'with all SQL of a folder in its rows/, every statement that touches a table is easy to find and to check for the account it acts for',
  find: (tree) => findSql(tree, pendingFolders),
};

/** Calls of `query` outside the allowed folders; for a pending folder, reports only that it has none left. */
export function findSql(tree: SourceTree, pending: readonly string[]): Finding[] {
  const files = tree.code.filter(({ path }) => path.startsWith(source) && !isTest(path));
  const found = files.flatMap((file) => queryOf(file));
  const isPending = ({ file }: Finding) => pending.includes(folderOf(file, source));
  const finished = pending
    .filter((folder) => !found.some(({ file }) => folderOf(file, source) === folder))
    .map((folder) => ({
      file: 'scripts/checks/sql-in-rows.ts',
      message: `${folder} has no SQL outside rows/; remove it from pendingFolders`,
    }));
  return [...finished, ...found.filter((finding) => !isPending(finding))];
}

function queryOf({ path, text }: SourceFile): Finding[] {
  const call = allowed.test(path.slice(source.length)) ? null : queryCall.exec(text);
  return call
    ? [{ file: path, line: lineAt(text, call.index), message: 'calls query outside of a rows/ folder' }]
    : [];
}
