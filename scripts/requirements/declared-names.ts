import ts from 'typescript';

/**
 * The field names that a file of the wire contract declares: of each exported interface and each exported `z.object`,
 * as `Name.field`, nested ones dotted. Only names, not types: the snapshot guards against renaming.
 */
export function declaredFields(source: string): string[] {
  const names: string[] = [];
  for (const statement of parse(source).statements) {
    if (!isExported(statement)) continue;
    if (ts.isInterfaceDeclaration(statement)) collect(statement, statement.name.text, names);
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (ts.isIdentifier(name) && initializer) collect(initializer, name.text, names);
  }
  return names;
}

/** `METHOD path` of each route that a file registers with `app.get('/…')` or `app.route({ method, url })`. */
export function declaredRoutes(source: string): string[] {
  const routes: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const method = node.expression.name.text;
      const [first] = node.arguments;
      if (first && ts.isStringLiteralLike(first) && /^(?:get|post|put|delete)$/.test(method))
        routes.push(`${method.toUpperCase()} ${first.text}`);
      if (first && ts.isObjectLiteralExpression(first) && method === 'route') routes.push(...routeOf(first));
    }
    node.forEachChild(visit);
  };
  visit(parse(source));
  return routes;
}

/** The default of each field of the schemas in a file, if it is a literal: `NAME: ….default(8000)`. */
export function declaredDefaults(source: string): Map<string, unknown> {
  const defaults = new Map<string, unknown>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isCallExpression(node.initializer)) {
      const { expression, arguments: given } = node.initializer;
      const isDefault = ts.isPropertyAccessExpression(expression) && expression.name.text === 'default';
      const value = isDefault && given[0] ? literalValue(given[0]) : undefined;
      if (value) defaults.set(node.name.getText(), value.is);
    }
    node.forEachChild(visit);
  };
  visit(parse(source));
  return defaults;
}

function literalValue(node: ts.Expression): { is: unknown } | undefined {
  if (ts.isNumericLiteral(node)) return { is: Number(node.text) };
  if (ts.isStringLiteral(node)) return { is: node.text };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { is: false };
  return ts.isArrayLiteralExpression(node) && node.elements.length === 0 ? { is: [] } : undefined;
}

function routeOf(options: ts.ObjectLiteralExpression): string[] {
  const value = (name: string): ts.Expression | undefined => {
    const property = options.properties.find((each) => each.name?.getText() === name);
    return property && ts.isPropertyAssignment(property) ? property.initializer : undefined;
  };
  const method = value('method');
  const methods =
    method && ts.isArrayLiteralExpression(method) ? [...method.elements] : method ? [method] : [];
  const url = value('url');
  return methods.flatMap((each) =>
    url && ts.isStringLiteralLike(url) && ts.isStringLiteralLike(each) ? [`${each.text} ${url.text}`] : [],
  );
}

function collect(node: ts.Node, prefix: string, names: string[]): void {
  // A function of a schema contains no fields of it
  if (ts.isFunctionLike(node) && !ts.isMethodSignature(node)) return;
  const name = ts.isPropertySignature(node) || ts.isPropertyAssignment(node) ? node.name : undefined;
  const own = ts.isShorthandPropertyAssignment(node) ? node.name : name;
  const path = own && (ts.isIdentifier(own) || ts.isStringLiteral(own)) ? `${prefix}.${own.text}` : prefix;
  if (path !== prefix) names.push(path);
  node.forEachChild((child) => collect(child, path, names));
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function parse(source: string): ts.SourceFile {
  return ts.createSourceFile('file.ts', source, ts.ScriptTarget.Latest, true);
}
