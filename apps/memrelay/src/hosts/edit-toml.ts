import { joinToml, splitToml, type TomlTable } from './toml-tables.ts';

export type TomlValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/**
 * Returns the text with these keys in the table `path`, replacing its `owned` keys; its other keys, its sub-tables and
 * the rest of the file are kept. Throws `Error` if the table is written in a form that cannot be changed safely.
 */
export function setInToml(
  text: string,
  path: readonly string[],
  values: Readonly<Record<string, TomlValue>>,
  owned: readonly string[],
): string {
  const newline = text.includes('\r\n') ? '\r' : '';
  const lines = Object.entries(values).map(([key, value]) => ({
    path: [key],
    lines: [`${key} = ${rendered(value)}${newline}`],
  }));
  const tables = splitToml(text);
  refuseOtherForms(tables, path);
  const table = tables.find(({ header }) => header && isSame(header.path, path));
  const ours = tables.filter(
    ({ header }) => !header || !owned.some((key) => isSame(header.path, [...path, key])),
  );
  if (table) {
    const kept = table.entries.filter((entry) => !owned.includes(entry.path?.[0] ?? ''));
    table.entries = [...lines, ...kept];
    return checked(text, joinToml(ours), path);
  }
  const last = ours.at(-1)!;
  const blank = (line: string | undefined): boolean => line?.trim() === '';
  while (blank(last.tail.at(-1))) last.tail.pop();
  const isEmpty = ours.length === 1 && last.entries.length === 0 && last.tail.length === 0;
  if (!isEmpty) last.tail.push(newline);
  const line = `[${path.map(keyText).join('.')}]${newline}`;
  ours.push({ header: { path: [...path], array: false, line }, entries: lines, tail: [''] });
  return checked(text, joinToml(ours), path);
}

/** The text without the table `path` and its sub-tables; comments before the next table stay. Throws as `setInToml`. */
export function removeFromToml(text: string, path: readonly string[]): string {
  const tables = splitToml(text);
  refuseOtherForms(tables, path);
  const kept: TomlTable[] = [];
  for (const table of tables) {
    if (!table.header || !isSame(table.header.path.slice(0, path.length), path)) {
      kept.push(table);
      continue;
    }
    // Also remove the blank line before the table. Not the one after it, because the last line of a file has no "\r".
    const before = kept.at(-1)!;
    const isFirst = !before.header && before.entries.length === 0;
    if (table.tail[0]?.trim() === '') {
      if (before.tail.at(-1)?.trim() === '') before.tail.pop();
      else if (isFirst) table.tail.shift();
    }
    before.tail.push(...table.tail);
  }
  return checked(text, joinToml(kept), path);
}

/** Whether the text contains the table. */
export function hasTomlTable(text: string, path: readonly string[]): boolean {
  return splitToml(text).some(({ header }) => header && isSame(header.path.slice(0, path.length), path));
}

/** No other table may have changed for a program that reads the file. */
function checked(before: string, after: string, path: readonly string[]): string {
  const others = (text: string): string[] =>
    splitToml(text)
      .filter(({ header }) => !header || !isSame(header.path.slice(0, path.length), path))
      .flatMap(({ header, entries }) => [
        ...(header ? [header.line] : []),
        ...entries.flatMap((entry) => (entry.path ? entry.lines : [])),
      ]);
  if (isSame(others(before), others(after))) return after;
  throw new Error('it has a form that cannot be changed safely');
}

/** Throws for forms such as `mcp_servers = {…}`, in which the table is part of a value. */
function refuseOtherForms(tables: readonly TomlTable[], path: readonly string[]): void {
  const inValue = tables.some(({ header, entries }) => {
    const outer = header?.path ?? [];
    if (outer.length >= path.length) return false;
    return entries.some((entry) => entry.path && overlap([...outer, ...entry.path], path));
  });
  if (inValue)
    throw new Error(`"${path.join('.')}" is written as an inline value, not as a table: change it by hand`);
}

/** Whether one path is a prefix of the other. */
function overlap(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  return isSame(one.slice(0, length), other.slice(0, length));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, i) => other[i] === key);
}

/** A TOML basic string allows all escapes of JSON, and requires one more. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : text(key);
}

function rendered(value: TomlValue): string {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  const pairs = Object.entries(value).map(([key, inner]) => `${keyText(key)} = ${text(inner as string)}`);
  return `{ ${pairs.join(', ')} }`;
}
