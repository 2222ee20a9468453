import ts from 'typescript';

const blocks = new Set(['describe', 'suite']);
const cases = new Set(['it', 'test']);

/**
 * The titles of the tests in a source file, both alone and prefixed with the titles of their `describe` blocks, joined by ` > `.
 * Titles of `test.each` keep their placeholders, template literals their `${…}`.
 */
export function testTitles(source: string): ReadonlySet<string> {
  const titles = new Set<string>();
  const visit = (node: ts.Node, outer: readonly string[]): void => {
    const call = titledCall(node);
    const path = call ? [...outer, call.title] : outer;
    if (call && cases.has(call.kind))
      for (let i = 0; i < path.length; i++) titles.add(path.slice(i).join(' > '));
    node.forEachChild((child) => visit(child, path));
  };
  visit(ts.createSourceFile('file.test.ts', source, ts.ScriptTarget.Latest, true), []);
  return titles;
}

export function titledCall(node: ts.Node): { kind: string; title: string } | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const kind = leftmostName(node.expression);
  const first = node.arguments[0];
  if (!first || !(blocks.has(kind) || cases.has(kind))) return undefined;
  if (ts.isStringLiteralLike(first)) return { kind, title: first.text };
  return ts.isTemplateExpression(first) ? { kind, title: first.getText().slice(1, -1) } : undefined;
}

/** `it` of `it('…')`, `it.each(rows)('…')` and `it.skipIf(x)('…')`. */
function leftmostName(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression))
    return leftmostName(expression.expression);
  return ts.isTaggedTemplateExpression(expression) ? leftmostName(expression.tag) : '';
}
