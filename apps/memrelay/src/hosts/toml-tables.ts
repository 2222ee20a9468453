/** A part of a TOML file: the lines before the first header, or a header with its lines. */
export interface TomlTable {
  /** Undefined for the first part; `array` for `[[…]]` */
  header: { path: string[]; array: boolean; line: string } | undefined;
  entries: TomlEntry[];
  /** Blank lines and comments at its end, which may as well belong to what follows */
  tail: string[];
}

/** A key with its value as written, or a comment or blank line, which have no `path`. */
export interface TomlEntry {
  path: string[] | undefined;
  lines: string[];
}

const key = /(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')/.source;
const dotted = `${key}(?:\\s*\\.\\s*${key})*`;
const headerLine = new RegExp(`^\\s*(\\[\\[?)\\s*(${dotted})\\s*(\\]\\]?)\\s*(?:#.*)?$`);
const entryLine = new RegExp(`^\\s*(${dotted})\\s*=(.*)$`);

/**
 * Splits TOML into its tables and their entries, line by line; joined again they are the same text. It only
 * understands where an entry ends. Throws `Error` with the number of an invalid line.
 */
export function splitToml(text: string): TomlTable[] {
  const tables: TomlTable[] = [{ header: undefined, entries: [], tail: [] }];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const bare = line.replace(/\r$/, '');
    const table = tables.at(-1)!;
    const header = headerLine.exec(bare);
    const entry = entryLine.exec(bare);
    if (/^\s*(?:#.*)?$/.test(bare)) {
      table.tail.push(line);
    } else if (header) {
      tables.push({
        header: { path: keysOf(header[2]!), array: header[1] === '[[', line },
        entries: [],
        tail: [],
      });
    } else if (entry) {
      const taken = [line];
      while (!isWhole(taken.join('\n').slice(bare.length - entry[2]!.length))) {
        const next = lines[++at];
        if (next === undefined) throw new Error(`line ${at}: a value does not end`);
        taken.push(next);
      }
      table.entries.push(...table.tail.map((comment) => ({ path: undefined, lines: [comment] })), {
        path: keysOf(entry[1]!),
        lines: taken,
      });
      table.tail = [];
    } else {
      throw new Error(`line ${at + 1}: this is no TOML`);
    }
  }
  return tables;
}

export function joinToml(tables: readonly TomlTable[]): string {
  return tables
    .flatMap(({ header, entries, tail }) => [
      ...(header ? [header.line] : []),
      ...entries.flatMap(({ lines }) => lines),
      ...tail,
    ])
    .join('\n');
}

const token =
  /"""(?:[^\\]|\\[\s\S])*?"""|'''[\s\S]*?'''|"""|'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|["'[\]{}]/g;

/** Whether the text of a value holds all its brackets and quotes. */
function isWhole(text: string): boolean {
  let depth = 0;
  for (const [part] of text.matchAll(token)) {
    if (/^(?:["']|"""|''')$/.test(part)) return false;
    if (part === '[' || part === '{') depth++;
    if (part === ']' || part === '}') depth--;
  }
  return depth <= 0;
}

function keysOf(path: string): string[] {
  return [...path.matchAll(new RegExp(key, 'g'))].map(([part]) => {
    if (part.startsWith('"')) return JSON.parse(part) as string;
    return part.startsWith("'") ? part.slice(1, -1) : part;
  });
}
