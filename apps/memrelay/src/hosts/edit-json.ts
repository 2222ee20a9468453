import { isDeepStrictEqual } from 'node:util';
import { type LooseValue, type Member, parseLooseJson, plainValue } from './loose-json.ts';

/** The value at a path of keys, undefined where there is none. Throws `LooseJsonError`. */
export function jsonAt(text: string, path: readonly string[]): unknown {
  const root = parseLooseJson(text);
  return (
    root &&
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], plainValue(root))
  );
}

/**
 * The text with `value` at `path`, and everything else, comments included, as it was. Throws `LooseJsonError`, and `Error`
 * when a part of the path is no object.
 */
export function setInJson(text: string, path: readonly string[], value: unknown): string {
  const root = parseLooseJson(text);
  if (root === undefined) return `${rendered(nested(path, value), '', '  ', '\n')}\n`;
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  let object = root;
  for (const [depth, key] of path.entries()) {
    if (object.kind !== 'object')
      throw new Error(
        `${depth === 0 ? 'its content' : `"${path.slice(0, depth).join('.')}"`} is not an object`,
      );
    const member = lastMember(object.members, key);
    const rest = path.slice(depth + 1);
    if (member === undefined)
      return checked(text, insert(text, object, key, nested(rest, value), unit), path, value);
    if (rest.length === 0) {
      const { start, end } = member.value;
      const changed = splice(
        text,
        start,
        end,
        rendered(value, indentAt(text, member.keyStart), unit, newlineOf(text)),
      );
      return checked(text, changed, path, value);
    }
    object = member.value;
  }
  throw new Error('An empty path has no value');
}

/** The text without the value at `path`; unchanged when there is none. Throws as `setInJson`. */
export function removeFromJson(text: string, path: readonly string[]): string {
  let object = parseLooseJson(text);
  for (const key of path.slice(0, -1)) {
    if (object?.kind !== 'object') return text;
    object = lastMember(object.members, key)?.value;
  }
  if (object?.kind !== 'object') return text;
  const key = path.at(-1)!;
  const member = lastMember(object.members, key);
  if (member === undefined) return text;
  const before = object.members[object.members.indexOf(member) - 1];
  const isLast = object.members.at(-1) === member;
  let [start, end] = [member.keyStart, member.afterComma ?? member.value.end];
  // The whole line, where the member has it to itself.
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

type ObjectValue = Extract<LooseValue, { kind: 'object' }>;

function insert(text: string, object: ObjectValue, key: string, value: unknown, unit: string): string {
  const newline = newlineOf(text);
  const closing = object.end - 1;
  const last = object.members.at(-1);
  const outer = indentAt(text, object.start);
  const indent =
    last && /\n[ \t]*$/.test(text.slice(0, last.keyStart)) ? indentAt(text, last.keyStart) : outer + unit;
  const content = text.slice(0, closing).trimEnd().length;
  const line = `${newline}${indent}${JSON.stringify(key)}: ${rendered(value, indent, unit, newline)}`;
  // Where the closing brace has a line to itself it keeps it; else it gets one.
  const tail = /\n/.test(text.slice(content, closing)) ? text.slice(content, closing) : `${newline}${outer}`;
  const withMember = splice(
    text,
    content,
    closing,
    `${line}${last?.afterComma === undefined ? '' : ','}${tail}`,
  );
  return last && last.afterComma === undefined
    ? splice(withMember, last.value.end, last.value.end, ',')
    : withMember;
}

/** Nothing but the value at `path` may have changed for a program that reads the file. */
function checked(before: string, after: string, path: readonly string[], value: unknown): string {
  const expected = structuredClone(plainValue(parseLooseJson(before)!)) as Record<string, unknown>;
  let place = expected;
  for (const key of path.slice(0, -1)) {
    place[key] ??= {};
    place = place[key] as Record<string, unknown>;
  }
  if (value === undefined) delete place[path.at(-1)!];
  else place[path.at(-1)!] = value;
  if (isDeepStrictEqual(plainValue(parseLooseJson(after)!), expected)) return after;
  throw new Error('The file has a form that cannot be changed safely');
}

function lastMember(members: readonly Member[], key: string): Member | undefined {
  return members.findLast((member) => member.key === key);
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** White space before `offset` on its line, if that is all there is. */
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
