/** A value of a JSON file with its position in the text: `[start, end)`. */
export type LooseValue = { start: number; end: number } & (
  | { kind: 'object'; members: Member[] }
  | { kind: 'array'; items: LooseValue[] }
  | { kind: 'scalar'; value: unknown }
);

export interface Member {
  key: string;
  keyStart: number;
  value: LooseValue;
  /** After the comma that follows, if one does */
  afterComma: number | undefined;
}

/** The file is not what its host would read either; `line` counts from 1. */
export class LooseJsonError extends Error {
  override name = 'LooseJsonError';
  readonly line: number;
  constructor(text: string, offset: number, expected: string) {
    const line = text.slice(0, offset).split('\n').length;
    super(`line ${line}: expected ${expected}`);
    this.line = line;
  }
}

/**
 * Reads JSON as hosts do: with comments and trailing commas (JSONC), and with the quotes and bare keys of JSON5. Returns
 * undefined for a file that is empty. Throws `LooseJsonError`.
 */
export function parseLooseJson(text: string): LooseValue | undefined {
  const reader = new LooseReader(text);
  reader.skip();
  if (reader.atEnd()) return undefined;
  const value = reader.value();
  reader.skip();
  if (!reader.atEnd()) throw reader.expected('the end of the file');
  return value;
}

/** What a program gets that reads the file: of a key given twice the last. */
export function plainValue(node: LooseValue): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.items.map(plainValue);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValue(value)]));
}

const space = /[\s\ufeff]*(?:(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)[\s\ufeff]*)*/y;
const quotedText = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const bareWord = /[^\s,:[\]{}"'/]+/y;

class LooseReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  skip(): void {
    this.#take(space);
  }

  expected(what: string): LooseJsonError {
    return new LooseJsonError(this.#text, this.#at, what);
  }

  value(): LooseValue {
    const start = this.#at;
    const next = this.#text[this.#at];
    if (next === '{') return { ...this.#object(), start, end: this.#at };
    if (next === '[') return { ...this.#array(), start, end: this.#at };
    return { kind: 'scalar', value: this.#scalar(), start, end: this.#at };
  }

  #object(): { kind: 'object'; members: Member[] } {
    const members: Member[] = [];
    this.#list('}', () => {
      const keyStart = this.#at;
      const key = this.#key();
      this.skip();
      if (!this.#is(':')) throw this.expected('":"');
      this.skip();
      const member: Member = { key, keyStart, value: this.value(), afterComma: undefined };
      members.push(member);
      return (afterComma) => {
        member.afterComma = afterComma;
      };
    });
    return { kind: 'object', members };
  }

  #array(): { kind: 'array'; items: LooseValue[] } {
    const items: LooseValue[] = [];
    this.#list(']', () => {
      items.push(this.value());
      return () => {};
    });
    return { kind: 'array', items };
  }

  #list(close: string, item: () => (afterComma: number) => void): void {
    this.#at++;
    for (;;) {
      this.skip();
      if (this.#is(close)) return;
      const noteComma = item();
      this.skip();
      if (this.#is(',')) noteComma(this.#at);
      else if (this.#text[this.#at] !== close) throw this.expected(`"," or "${close}"`);
    }
  }

  #key(): string {
    const quoted = this.#take(quotedText);
    const key = quoted === undefined ? this.#take(bareWord) : unquoted(quoted);
    if (key === undefined) throw this.expected('a key');
    return key;
  }

  #scalar(): unknown {
    const quoted = this.#take(quotedText);
    if (quoted !== undefined) return unquoted(quoted);
    const word = this.#take(bareWord);
    if (word === undefined) throw this.expected('a value');
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    if (/^[+-]?(?:Infinity|NaN)$/.test(word) || !Number.isNaN(Number(word.replace(/^[+-]/, ''))))
      return word.startsWith('-') ? -Number(word.slice(1)) : Number(word);
    throw this.expected('a value');
  }

  #is(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

/** JSON5 escapes beyond JSON's are taken literally, which is right for all that a key or path has. */
function unquoted(text: string): string {
  const inner = text.slice(1, -1);
  try {
    return JSON.parse(`"${text.startsWith("'") ? inner.replace(/\\'/g, "'").replace(/"/g, '\\"') : inner}"`);
  } catch {
    return inner.replace(/\\(\r?\n|[\s\S])/g, '$1');
  }
}
