import { utf8 } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';

export const maxMetaLength = 16_384;

/** Metadata that is sealed together with the text. */
export interface EnvelopeMeta {
  /** Namespace name */
  ns: string;
  /** RFC 3339 with offset, e.g. `2026-02-01T12:00:00Z` */
  created_at: string;
  /** RFC 3339 with offset: when it happened, if that differs from when it was written */
  occurred_at?: string;
  /** Any finite number, on the writer's own scale */
  importance?: number;
  /** 1 to 200 `envelope_id`s (32 lower-case hex digits) of envelopes that this one replaces or, as a tombstone, forgets */
  supersedes?: string[];
  /** On whose behalf it was written */
  by?: string;
  /** The conversation it belongs to, 1 to 128 characters */
  session?: string;
  /** Who said it, 1 to 128 characters */
  speaker?: string;
  /** RFC 3339 with offset: when it was said or happened */
  happened_at?: string;
  /** At most 32 different labels of 1 to 64 characters */
  tags?: string[];
  /** Values of the writer, by name */
  metadata?: Record<string, string | number | boolean | null>;
  /** RFC 3339 with offset: readers ignore it from then on */
  expires_at?: string;
  /** True in a private namespace, whose tag is another than that of the same name; otherwise absent */
  private?: true;
  /** `envelope_id` of the search secret that the memory's search data was made with, 32 lower-case hex digits */
  search_id?: string;
}

/** The fields that tell to what a memory belongs, and until when it counts. */
export const contextFieldNames = [
  'session',
  'speaker',
  'happened_at',
  'tags',
  'metadata',
  'expires_at',
] as const satisfies readonly (keyof EnvelopeMeta)[];
export type EnvelopeContext = Pick<EnvelopeMeta, (typeof contextFieldNames)[number]>;

/** The context fields of a memory's meta; undefined if it has none. */
export function contextOf(meta: EnvelopeMeta): EnvelopeContext | undefined {
  const present = contextFieldNames.filter((name) => meta[name] !== undefined);
  return present.length > 0 ? Object.fromEntries(present.map((name) => [name, meta[name]])) : undefined;
}

const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-](\d{2}):(\d{2}))$/;

/** Does not use `Date.parse`, which accepts 30 February in some engines and not in others. */
function isTime(value: unknown): boolean {
  const match = typeof value === 'string' ? timePattern.exec(value) : null;
  if (match === null) return false;
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match.slice(1).map(Number);
  if (month! < 1 || month! > 12 || day! < 1) return false;
  const leap = (year! % 4 === 0 && year! % 100 !== 0) || year! % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month! - 1]!;
  const offsetIsFine = Number.isNaN(offsetHour) || (offsetHour! < 24 && offsetMinute! < 60);
  return day! <= days && hour! < 24 && minute! < 60 && second! < 60 && offsetIsFine;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed();
}

function isIdList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 1 || value.length > 200) return false;
  return (
    value.every((id) => typeof id === 'string' && /^[0-9a-f]{32}$/.test(id)) &&
    new Set(value).size === value.length
  );
}

/** Well-formed text of 1 to `max` characters. */
function isShortText(value: unknown, max: number): boolean {
  return isText(value) && value !== '' && [...(value as string)].length <= max;
}

function isTagList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 1 || value.length > 32) return false;
  return value.every((tag) => isShortText(tag, 64)) && new Set(value).size === value.length;
}

/** A flat object: no value is an object or an array. */
function isFlat(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, each]) =>
      isText(name) &&
      (each === null ||
        typeof each === 'boolean' ||
        isText(each) ||
        (typeof each === 'number' && Number.isFinite(each))),
  );
}

/** The rules of the fields, in the order in which the fields are written. */
const rules: Record<keyof EnvelopeMeta, (value: unknown) => boolean> = {
  ns: isText,
  created_at: isTime,
  occurred_at: isTime,
  importance: (value) => typeof value === 'number' && Number.isFinite(value),
  supersedes: isIdList,
  by: isText,
  session: (value) => isShortText(value, 128),
  speaker: (value) => isShortText(value, 128),
  happened_at: isTime,
  tags: isTagList,
  metadata: isFlat,
  expires_at: isTime,
  private: (value) => value === true,
  search_id: (value) => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value),
};
const names = Object.keys(rules) as (keyof EnvelopeMeta)[];
const required: readonly (keyof EnvelopeMeta)[] = ['ns', 'created_at'];

/** Returns the name of the first field that breaks its rule. */
function brokenField(meta: Record<string, unknown>): string | undefined {
  if (Object.hasOwn(meta, '__proto__')) return '__proto__';
  return names.find((name) =>
    Object.hasOwn(meta, name) ? !rules[name](meta[name]) : required.includes(name),
  );
}

/** The JSON bytes, unknown fields last. Throws `RangeError` if a field violates its rule, or above 16 KiB. */
export function encodeMeta(meta: EnvelopeMeta): Uint8Array {
  const known = names.filter((name) => meta[name] !== undefined).map((name) => [name, meta[name]] as const);
  const present = Object.fromEntries([...known, ...Object.entries(unknownFieldsOf(meta))]);
  const broken = brokenField(present);
  if (broken !== undefined) throw new RangeError(`bad meta field: ${broken}`);
  const bytes = utf8(JSON.stringify(present));
  if (bytes.length > maxMetaLength) throw new RangeError('meta above 16 KiB');
  return bytes;
}

/** The fields of a later version: they are kept, and otherwise ignored. */
export function unknownFieldsOf(meta: EnvelopeMeta): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !Object.hasOwn(rules, name)));
}

/** Strict in the known fields; unknown ones are kept. Throws `EnvelopeError` `bad_meta`. */
export function decodeMeta(bytes: Uint8Array): EnvelopeMeta {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new EnvelopeError('bad_meta', 'meta is not JSON in UTF-8');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new EnvelopeError('bad_meta', 'meta is not an object');
  const broken = brokenField(parsed as Record<string, unknown>);
  if (broken !== undefined) throw new EnvelopeError('bad_meta', `bad ${broken}`);
  return parsed as EnvelopeMeta;
}
