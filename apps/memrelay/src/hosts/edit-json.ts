import { isDeepStrictEqual } from 'node:util';
import { type JsonNode, type Member, parseJsonTree } from './json-tree.ts';
import { valueAt, withValue } from './value-at.ts';

/** The value at a path of keys, or undefined. Throws `JsonSyntaxError`. */
export function jsonAt(text: string, path: readonly string[]): unknown {
  return valueAt(parseJsonTree(text)?.value, path);
}

/**
 * Returns the text with `value` at `path` and keeps everything else, including comments and formatting. Throws
 * `JsonSyntaxError`, and `Error` when a part of the path is not an object.
 *
 * `modify` of jsonc-parser is not used: it inserts before the comments that follow the last member, which then seem to
 * describe the new one.
 */
export function setInJson(text: string, path: readonly string[], value: unknown): string {
  const root = parseJsonTree(text);
  if (root === undefined) return onlyEntry(text, nested(path, value));
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  let object = root;
  for (const [depth, key] of path.entries()) {
    if (object.members === undefined)
      throw new Error(
        `${depth === 0 ? 'its content' : `"${path.slice(0, depth).join('.')}"`} is not an object`,
      );
    const member = lastMember(object.members, key);
    const rest = path.slice(depth + 1);
    if (member === undefined)
      return checked(text, insertMember(text, object, key, nested(rest, value), unit), path, value);
    if (rest.length === 0) {
      const { start, end } = member.node;
      const changed = splice(
        text,
        start,
        end,
        rendered(value, indentAt(text, member.keyStart), unit, newlineOf(text)),
      );
      return checked(text, changed, path, value);
    }
    object = member.node;
  }
  throw new Error('An empty path has no value');
}

/** Returns the text without the value at `path`, or the same text if there is no such value. Throws as `setInJson`. */
export function removeFromJson(text: string, path: readonly string[]): string {
  let object = parseJsonTree(text);
  for (const key of path.slice(0, -1)) {
    if (object?.members === undefined) return text;
    object = lastMember(object.members, key)?.node;
  }
  if (object?.members === undefined) return text;
  const key = path.at(-1)!;
  const member = lastMember(object.members, key);
  if (member === undefined) return text;
  const before = object.members[object.members.indexOf(member) - 1];
  const isLast = object.members.at(-1) === member;
  let [start, end] = [member.keyStart, member.afterComma ?? member.node.end];
  // Remove the whole line if the member is alone on it.
  const lineStart = start - indentAt(text, start).length;
  const restOfLine = /^[ \t]*\r?\n/.exec(text.slice(end))?.[0];
  if (restOfLine !== undefined && /[\n\r]/.test(text[lineStart - 1] ?? '\n'))
    [start, end] = [lineStart, end + restOfLine.length];
  let changed = splice(text, start, end, '');
  // Strict JSON has no comma after the last member.
  if (isLast && member.afterComma === undefined && before?.afterComma !== undefined)
    changed = splice(changed, before.afterComma - 1, before.afterComma, '');
  return checked(text, changed, path, undefined);
}

/** A file without a value, but perhaps with comments, gets the entry after them. */
function onlyEntry(text: string, value: unknown): string {
  const newline = newlineOf(text);
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const comments = text.slice(bom.length).trimEnd();
  const head = comments === '' ? '' : `${comments}${newline}`;
  return `${bom}${head}${rendered(value, '', '  ', newline)}${newline}`;
}

function insertMember(text: string, object: JsonNode, key: string, value: unknown, unit: string): string {
  const newline = newlineOf(text);
  const closing = object.end - 1;
  const last = object.members?.at(-1);
  const outer = indentAt(text, object.start);
  const indent =
    last && /\n[ \t]*$/.test(text.slice(0, last.keyStart)) ? indentAt(text, last.keyStart) : outer + unit;
  const content = text.slice(0, closing).trimEnd().length;
  const line = `${newline}${indent}${JSON.stringify(key)}: ${rendered(value, indent, unit, newline)}`;
  // The closing brace keeps its own line, or moves to a new one.
  const tail = /\n/.test(text.slice(content, closing)) ? text.slice(content, closing) : `${newline}${outer}`;
  const withMember = splice(
    text,
    content,
    closing,
    `${line}${last?.afterComma === undefined ? '' : ','}${tail}`,
  );
  return last && last.afterComma === undefined
    ? splice(withMember, last.node.end, last.node.end, ',')
    : withMember;
}

/** Throws unless a program that reads the file sees no change except the value at `path`. */
function checked(before: string, after: string, path: readonly string[], value: unknown): string {
  const expected = withValue(parseJsonTree(before)!.value, path, value);
  if (isDeepStrictEqual(parseJsonTree(after)!.value, expected)) return after;
  throw new Error('it has a form that cannot be changed safely');
}

function lastMember(members: readonly Member[], key: string): Member | undefined {
  return members.findLast((member) => member.key === key);
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** The indentation of the line that contains `offset`. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)![0];
}

function rendered(value: unknown, indent: string, unit: string, newline: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${newline}${indent}`);
}

function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function splice(text: string, start: number, end: number, insert: string): string {
  return `${text.slice(0, start)}${insert}${text.slice(end)}`;
}
