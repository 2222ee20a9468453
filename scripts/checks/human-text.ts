import ts from 'typescript';
import { titledCall } from '../requirements/test-titles.ts';
import { isTest, type SourceFile } from './source-tree.ts';

export type TextKind = 'comment' | 'string' | 'test title' | 'document';

/** A piece of text written for people. */
export interface HumanText {
  kind: TextKind;
  text: string;
  /** Offset in the file. */
  start: number;
}

/**
 * The text in a code file that is written for people: its comments, and its strings or, in a test, the titles. The
 * strings of tests are mostly data, such as the text of a memory.
 */
export function codeTexts({ path, text }: SourceFile): HumanText[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const literals: ts.Node[] = [];
  const titles: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (isLiteralText(node)) literals.push(node);
    else if (ts.isCallExpression(node) && titledCall(node) && node.arguments[0])
      titles.push(node.arguments[0]);
    node.forEachChild(visit);
  };
  visit(source);
  const spoken = isTest(path) ? titles : literals.filter((node) => !isModuleName(node));
  return [
    ...commentsOf(text, literals).map(({ start, comment }) => toText('comment', comment, start)),
    ...spoken.map((node) =>
      toText(isTest(path) ? 'test title' : 'string', node.getText(source), node.getStart(source)),
    ),
  ];
}

/** The comments of SQL and Move files. */
export function lineComments(text: string, mark: '--' | '//'): HumanText[] {
  const pattern = mark === '--' ? /--.*/g : /\/\/.*/g;
  return [...text.matchAll(pattern)].map(({ 0: comment, index }) => toText('comment', comment, index));
}

/** The prose of a Markdown page, without code. */
export function documentText(text: string): HumanText {
  const prose = text.replace(/^(`{3,})[\s\S]*?^\1$/gm, blank);
  return toText('document', prose, 0);
}

/** Replaces code in backticks, which is not prose, by blanks, so that offsets do not change. */
function toText(kind: TextKind, text: string, start: number): HumanText {
  return { kind, text: kind === 'string' ? text : text.replace(/(?<!^)`[^`\n]*`/g, blank), start };
}

function commentsOf(text: string, literals: readonly ts.Node[]): { comment: string; start: number }[] {
  const pieces: string[] = [];
  let end = 0;
  for (const node of literals) {
    const start = node.getStart();
    pieces.push(text.slice(end, start), blank(text.slice(start, node.end)));
    end = node.end;
  }
  pieces.push(text.slice(end));
  const withoutLiterals = pieces.join('');
  return [...withoutLiterals.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map(({ 0: comment, index }) => ({
    comment,
    start: index,
  }));
}

function isLiteralText(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isJsxText(node)
  );
}

function isModuleName(node: ts.Node): boolean {
  return (
    ts.isRegularExpressionLiteral(node) ||
    ts.isImportDeclaration(node.parent) ||
    ts.isExportDeclaration(node.parent)
  );
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
