import { utf8 } from './bytes.ts';
import { EnvelopeError } from './envelope-error.ts';

export const maxMetaLength = 8_192;

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

/** The rules of the fields, in the order in which the fields are written. */
const rules: Record<keyof EnvelopeMeta, (value: unknown) => boolean> = {
  ns: isText,
  created_at: isTime,
  occurred_at: isTime,
  importance: (value) => typeof value === 'number' && Number.isFinite(value),
  supersedes: isIdList,
  by: isText,
};
const names = Object.keys(rules) as (keyof EnvelopeMeta)[];
const required: readonly (keyof EnvelopeMeta)[] = ['ns', 'created_at'];

/** Returns the name of the first field that breaks its rule. */
function brokenField(meta: Record<string, unknown>): string | undefined {
  for (const name of Object.keys(meta)) if (!Object.hasOwn(rules, name)) return name;
  return names.find((name) =>
    Object.hasOwn(meta, name) ? !rules[name](meta[name]) : required.includes(name),
  );
}

/** The JSON bytes. Throws `RangeError` if a field violates its rule, or above 8 KiB. */
export function encodeMeta(meta: EnvelopeMeta): Uint8Array {
  const present = Object.fromEntries(
    names.filter((name) => meta[name] !== undefined).map((name) => [name, meta[name]]),
  );
  const broken = brokenField(present);
  if (broken !== undefined) throw new RangeError(`bad meta field: ${broken}`);
  const bytes = utf8(JSON.stringify(present));
  if (bytes.length > maxMetaLength) throw new RangeError('meta above 8 KiB');
  return bytes;
}

/** Strict: unknown fields are rejected too. Throws `EnvelopeError` `bad_meta`. */
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
  if (broken !== undefined)
    throw new EnvelopeError('bad_meta', Object.hasOwn(rules, broken) ? `bad ${broken}` : 'unknown field');
  return parsed as EnvelopeMeta;
}
