import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { json5ToJsonc } from './json5-to-jsonc.ts';

/** A value with its position in the text: `[start, end)`. */
export interface JsonNode {
  start: number;
  end: number;
  value: unknown;
  /** Of an object, in the order of the file; undefined for other values */
  members: Member[] | undefined;
}

export interface Member {
  key: string;
  keyStart: number;
  node: JsonNode;
  /** Offset after the comma that follows, if there is one */
  afterComma: number | undefined;
}

/** The file is invalid for its host, too. The message names the line, counted from 1. */
export class JsonSyntaxError extends Error {
  override name = 'JsonSyntaxError';
}

/**
 * Parses JSON as hosts do: with comments and trailing commas (JSONC), and with the quotes and bare keys of JSON5.
 * Returns undefined for a file without a value. Throws `JsonSyntaxError`.
 */
export function parseJsonTree(text: string): JsonNode | undefined {
  const jsonc = json5ToJsonc(text);
  const errors: ParseError[] = [];
  const root = parseTree(jsonc.text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors[0]) {
    const { error, offset } = errors[0];
    const line = jsonc.text.slice(0, offset).split('\n').length;
    throw new JsonSyntaxError(`line ${line}: ${problems[printParseErrorCode(error)] ?? 'invalid JSON'}`);
  }
  const scanner = createScanner(jsonc.text, true);
  return root && toJsonNode(root);

  function toJsonNode(node: Node): JsonNode {
    const members = node.type === 'object' ? (node.children ?? []).map(toMember) : undefined;
    return {
      start: jsonc.originalOffset(node.offset),
      end: jsonc.originalOffset(node.offset + node.length),
      value: members
        ? Object.fromEntries(members.map(({ key, node: { value } }) => [key, value]))
        : plain(node),
      members,
    };
  }

  function toMember(property: Node): Member {
    const [key, value] = property.children as [Node, Node];
    scanner.setPosition(value.offset + value.length);
    scanner.scan();
    const hasComma = jsonc.text[scanner.getTokenOffset()] === ',';
    return {
      key: key.value as string,
      keyStart: jsonc.originalOffset(key.offset),
      afterComma: hasComma ? jsonc.originalOffset(scanner.getPosition()) : undefined,
      node: toJsonNode(value),
    };
  }

  function plain(node: Node): unknown {
    return node.type === 'array' ? (node.children ?? []).map((item) => toJsonNode(item).value) : node.value;
  }
}

/** By the names that jsonc-parser gives its error codes. */
const problems: Readonly<Record<string, string>> = {
  InvalidSymbol: 'expected a value',
  InvalidNumberFormat: 'expected a value',
  PropertyNameExpected: 'expected a key',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":"',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "," or "}"',
  CloseBracketExpected: 'expected "," or "]"',
  EndOfFileExpected: 'expected the end of the file',
  UnexpectedEndOfComment: 'the comment is not closed',
  UnexpectedEndOfString: 'the string is not closed',
};
