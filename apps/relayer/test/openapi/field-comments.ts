import ts from 'typescript';

/** The doc comments of a zod object's fields, as the source has them: a schema at run time no longer knows them. */
export interface FieldComments {
  comment?: string;
  fields: Map<string, FieldComments>;
}

/** Returns the comments of the schemas that these sources declare, by the name of their constant. */
export function fieldComments(sources: readonly string[]): (name: string) => FieldComments | undefined {
  const initializers = new Map<string, ts.Expression>();
  for (const source of sources) collectConstants(source, initializers);

  const ofName = (name: string, seen: ReadonlySet<string>): FieldComments | undefined => {
    const initializer = initializers.get(name);
    return initializer && !seen.has(name) ? ofExpression(initializer, new Set([...seen, name])) : undefined;
  };

  /** Of the object literal in an expression; otherwise of the first schema that it names. */
  function ofExpression(expression: ts.Expression, seen: ReadonlySet<string>): FieldComments {
    const literal = firstIn(expression, ts.isObjectLiteralExpression);
    const fields = new Map<string, FieldComments>();
    if (!literal) {
      for (const name of namesIn(expression)) {
        const found = ofName(name, seen);
        if (found && found.fields.size > 0) return found;
      }
      return { fields };
    }
    for (const property of literal.properties) {
      if (ts.isSpreadAssignment(property))
        for (const [key, value] of ofExpression(property.expression, seen).fields) fields.set(key, value);
      if (ts.isPropertyAssignment(property))
        fields.set(property.name.getText(), {
          ...ofExpression(property.initializer, seen),
          ...commentOf(property),
        });
      if (ts.isShorthandPropertyAssignment(property))
        fields.set(property.name.text, {
          ...(ofName(property.name.text, seen) ?? { fields: new Map() }),
          ...commentOf(property),
        });
    }
    return { fields };
  }

  return (name) => ofName(name, new Set());
}

function collectConstants(source: string, into: Map<string, ts.Expression>): void {
  const file = ts.createSourceFile('schemas.ts', source, ts.ScriptTarget.Latest, true);
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!initializer) continue;
      if (ts.isIdentifier(name)) into.set(name.text, initializer);
      // `const { query, ...others } = recallRequest.shape`
      else if (ts.isObjectBindingPattern(name))
        for (const part of name.elements) into.set(part.name.getText(), initializer);
    }
  }
}

function commentOf(node: ts.Node): { comment?: string } {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = comments.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '').join('\n');
  return text ? { comment: text.replaceAll(/\s*\n\s*/g, ' ') } : {};
}

function firstIn<T extends ts.Node>(node: ts.Node, is: (node: ts.Node) => node is T): T | undefined {
  return is(node) ? node : ts.forEachChild(node, (child) => firstIn(child, is));
}

function namesIn(node: ts.Node): string[] {
  const names: string[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isIdentifier(each)) names.push(each.text);
    each.forEachChild(visit);
  };
  visit(node);
  return names;
}
