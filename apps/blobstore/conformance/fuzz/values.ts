import type { Random } from './random.ts';

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const awkward = 'aZ09-_.~%/+= ,;:&?#"\'<>\\{}|^`$!*()@\u00fc\u{1f600}';
const digits = '0123456789';

/** Ids that exist; cases use them unchanged or slightly changed. */
export interface Known {
  blobIds: readonly string[];
  objectIds: readonly string[];
  patchIds: readonly string[];
}

/** The text with one change: a character replaced, removed or doubled, or the whole text cut or repeated. */
export function changed(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at) + random.text(awkward, 1) + text.slice(at + 1);
    case 1:
      return text.slice(0, at) + text.slice(at + 1);
    case 2:
      return text.slice(0, at) + (text[at] ?? 'x') + text.slice(at);
    case 3:
      return text.slice(0, at);
    default:
      return text + text;
  }
}

export function idLike(random: Random, known: Known): string {
  const ids = [...known.blobIds, ...known.objectIds, ...known.patchIds];
  switch (random.below(6)) {
    case 0:
    case 1:
      return random.pick(ids);
    case 2:
      return changed(random, random.pick(ids));
    case 3:
      return random.text(base64url, random.pick([42, 43, 44, 50]));
    case 4:
      return `0x${random.text('0123456789abcdefABCDEF', random.pick([0, 1, 63, 64, 65]))}`;
    default:
      return random.text(awkward, random.below(60));
  }
}

/** An existing id of one kind, or any id-like text. */
export function idOf(random: Random, known: Known, kind: keyof Known): string {
  const ids = known[kind];
  return ids.length === 0 || random.oneIn(2) ? idLike(random, known) : random.pick(ids);
}

export function numberLike(random: Random): string {
  switch (random.below(5)) {
    case 0:
      return String(random.below(60));
    case 1:
      return random.pick(['-1', '1.5', '1e3', '+1', ' 1', '', 'NaN', 'Infinity', '0x10', '٣', '00001']);
    case 2:
      return random.text(digits, 1 + random.below(40));
    case 3:
      return random.pick(['4294967295', '4294967296', '18446744073709551615', '18446744073709551616']);
    default:
      return random.text(awkward, random.below(8));
  }
}

export function flagLike(random: Random): string {
  return random.pick(['true', 'false', 'true', 'TRUE', '1', '0', '', 'null', 'truefalse', '%00']);
}

export function rangeLike(random: Random): string {
  const number = (): string => (random.oneIn(4) ? numberLike(random) : String(random.below(1200)));
  switch (random.below(6)) {
    case 0:
      return `bytes=${number()}-${number()}`;
    case 1:
      return `bytes=${number()}-`;
    case 2:
      return `bytes=-${number()}`;
    case 3:
      return `bytes=${number()}-${number()},${number()}-${number()}`;
    case 4:
      return `${random.pick(['bytes', 'items', 'BYTES', 'bytes=bytes', ''])}=${number()}-${number()}`;
    default:
      return random.text('bytes=0123456789-, \t', random.below(40));
  }
}

/** A query with known and unknown names, some of them repeated. */
export function queryLike(random: Random, values: Record<string, () => string>): string {
  const names = Object.keys(values);
  const pairs = Array.from({ length: random.below(5) }, () => {
    const name = random.pick(names);
    const value = values[name]!();
    const written = random.oneIn(4)
      ? value.replaceAll(/[\s#\u0080-\uffff]/g, '')
      : encodeURIComponent(value.toWellFormed());
    if (random.oneIn(12)) return name;
    if (random.oneIn(12)) return `${changed(random, name).replaceAll(/[^\x21-\x7e]/g, '')}=${written}`;
    return `${name}=${written}`;
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** A random JSON value, nested at most `depth` levels. */
export function jsonLike(random: Random, depth = 3): unknown {
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
      return random.pick([0, -1, 1.5, 1e21, 2 ** 53, -0]);
    case 3:
      return random.text(awkward, random.below(20));
    case 4:
      return random.below(100);
    case 5:
      return '';
    case 6:
      return Array.from({ length: random.below(4) }, () => jsonLike(random, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [
          random.pick(['ids', 'identifier', 'tags', 'epochs', '__proto__', 'constructor', 'a', '']),
          jsonLike(random, depth - 1),
        ]),
      );
  }
}

/** JSON text, in one of four cases malformed. */
export function jsonTextLike(random: Random, value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return random.oneIn(4) ? changed(random, text) : text;
}
