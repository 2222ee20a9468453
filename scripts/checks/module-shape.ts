import ts from 'typescript';
import type { Finding, Rule } from './rule.ts';
import { lineAt } from './source-imports.ts';
import type { SourceFile } from './source-tree.ts';

/** Configuration files are read by tools that want a default export. */
const configFile = /\.config\.(ts|mts|mjs|js)$/;

/** OpenClaw loads the default export of a plugin. */
const hostPlugin = /^integrations\/openclaw\/plugin\.js$/;

/** The exports of a published package; nothing in the repository imports these files. */
const publicEntry = /^(packages|integrations|apps)\/[^/]+\/src\/(.*\/)?public(-node)?\.ts$/;

const mayExportDefault = /\bexport\s*(?:default\b|=)|\bas\s+default\b|\bdefault\s*\}/;

export const moduleShape: Rule = {
  name: 'module-shape',
  why: 'with named exports and no barrels a name is the same everywhere and leads straight to the file it lives in',
  find: (tree) => tree.code.flatMap((file) => [...defaultExports(file), ...barrels(file)]),
};

function defaultExports({ path, text }: SourceFile): Finding[] {
  // Parsing every file would take seconds
  if (configFile.test(path) || hostPlugin.test(path) || !mayExportDefault.test(text)) return [];
  return statementsOf(text)
    .filter(exportsDefault)
    .map((statement) => ({
      file: path,
      line: lineAt(text, statement.getFullStart() + statement.getLeadingTriviaWidth()),
      message: 'default export; give it a name',
    }));
}

function exportsDefault(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true;
  if (
    ts.isExportDeclaration(statement) &&
    statement.exportClause &&
    ts.isNamedExports(statement.exportClause)
  ) {
    return statement.exportClause.elements.some(({ name }) => name.text === 'default');
  }
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
  );
}

function barrels({ path, text }: SourceFile): Finding[] {
  if (/(^|\/)index\.[a-z]+$/.test(path))
    return [{ file: path, message: 'index file; name it after what it does' }];
  // Parsing every file would take seconds
  if (publicEntry.test(path) || !/^export\s+(?:type\s+)?[*{][^;]*\bfrom\b/m.test(text)) return [];
  const statements = statementsOf(text);
  const onlyPasses = statements.every(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier,
  );
  return statements.length > 0 && onlyPasses ? [{ file: path, message: 'only re-exports other files' }] : [];
}

function statementsOf(text: string): readonly ts.Statement[] {
  return ts.createSourceFile('file.tsx', text, ts.ScriptTarget.Latest, true).statements;
}
