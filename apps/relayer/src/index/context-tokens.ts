import { indexKey, keyedHash } from '@memrelay/envelope/at-rest';
import type { SealedContext, TagFilter } from '@memrelay/protocol/context-fields';
import { type ContextLabel, contextValuesOf, tagValue } from '@memrelay/text-index/context';
import type { SqlValue } from '../base/db/db.ts';
import { tokenList } from './keyword-columns.ts';

/**
 * Tokens of the context fields (security.md, "Context fields"): HMACs under a key per account and namespace, with a label
 * per field. Equal values of a namespace have equal tokens.
 */

/** The columns of a memory or a job that hold them. */
export interface ContextColumns {
  /** Session, speaker, day and month; undefined if the memory has none of these */
  packed: Buffer | undefined;
  tags: readonly bigint[];
  expiresAt: Date | undefined;
}

export const noContext: ContextColumns = { packed: undefined, tags: [], expiresAt: undefined };

/** The account and namespace that a token belongs to. */
export interface TokenScope {
  indexSecret: Uint8Array;
  accountId: Buffer;
  /** Namespace tag, 16 bytes */
  tag: Uint8Array;
}

type Label = ContextLabel | 'tag';

/** Bytes of each packed token, in the order in which they are stored. */
const packedParts = [
  ['session', 8],
  ['speaker', 4],
  ['day', 4],
  ['month', 4],
] as const;
const packedLength = packedParts.reduce((sum, [, bytes]) => sum + bytes, 0);

/** Tokens of one memory, in hex; a field that it does not have is absent. */
export type PackedTokens = Partial<Record<ContextLabel, string>>;

/** Makes tokens in one namespace. */
export interface ContextTokens {
  columnsOf(context: SealedContext | undefined): ContextColumns;
  /** A token as it appears in `PackedTokens` */
  token(label: ContextLabel, value: string): string;
  tag(value: string): bigint;
}

export function contextTokens({ indexSecret, accountId, tag: namespaceTag }: TokenScope): ContextTokens {
  // Most requests have no field
  let key: Uint8Array | undefined;
  const hash = (label: Label, value: string): Buffer => {
    key ??= indexKey(indexSecret, 'context-fields', accountId.toString('hex'), namespaceTag);
    return Buffer.from(keyedHash(key, label, value));
  };
  const token = (label: ContextLabel, value: string): string =>
    hash(label, value).toString('hex', 0, packedParts.find(([name]) => name === label)![1]);
  const tag = (value: string): bigint => hash('tag', tagValue(value)).readBigInt64BE();
  return {
    token,
    tag,
    columnsOf(context) {
      if (!context) return noContext;
      const { session, speaker, happened_at: happenedAt, tags = [], expires_at: expiresAt } = context;
      const values = contextValuesOf({ session, speaker, happenedAt });
      const packed = packedParts
        .map(([label, bytes]) =>
          values[label] === undefined ? '00'.repeat(bytes) : token(label, values[label]),
        )
        .join('');
      return {
        packed: Object.keys(values).length > 0 ? Buffer.from(packed, 'hex') : undefined,
        tags: [...new Set(tags.map(tag))].sort((a, b) => (a < b ? -1 : 1)),
        expiresAt: expiresAt === undefined ? undefined : storableExpiry(expiresAt),
      };
    },
  };
}

/** Whether a memory with these fields must not be returned any more. */
export function isExpired(context: SealedContext | undefined, nowMs = Date.now()): boolean {
  return context?.expires_at !== undefined && Date.parse(context.expires_at) <= nowMs;
}

/** Within the years that Postgres and JavaScript share. */
function storableExpiry(time: string): Date {
  return new Date(Math.min(Date.parse('9999-12-31T23:59:59Z'), Date.parse(time)));
}

export function unpack(packed: Buffer | null | undefined): PackedTokens {
  const tokens: PackedTokens = {};
  if (packed?.length !== packedLength) return tokens;
  let offset = 0;
  for (const [label, bytes] of packedParts) {
    const part = packed.subarray(offset, offset + bytes);
    if (part.some((byte) => byte !== 0)) tokens[label] = part.toString('hex');
    offset += bytes;
  }
  return tokens;
}

export const contextColumns = 'context_tokens, tag_tokens, expires_at';

/** One value per column. */
export function contextValues({ packed, tags, expiresAt }: ContextColumns): SqlValue[] {
  return [packed ?? null, tags.length > 0 ? tokenList(tags) : null, expiresAt ?? null];
}

/** Appends `contextValues` to the values of a statement, and returns their placeholders. */
export function addContext(values: SqlValue[], context: ContextColumns): string {
  const first = values.length + 1;
  values.push(...contextValues(context));
  return `$${first}::bytea, $${first + 1}::text::bigint[], $${first + 2}::timestamptz`;
}

/** A tag filter as tokens. */
export interface TagTokens {
  /** Undefined: not asked for */
  any: readonly bigint[] | undefined;
  all: readonly bigint[];
  not: readonly bigint[];
}

/** The tokens of a filter; undefined if it lets everything through. */
export function filterTokens(tokens: ContextTokens, filter: TagFilter | undefined): TagTokens | undefined {
  const { any = [], all = [], not = [] } = filter ?? {};
  if (any.length + all.length + not.length === 0) return undefined;
  return {
    any: any.length > 0 ? any.map(tokens.tag) : undefined,
    all: all.map(tokens.tag),
    not: not.map(tokens.tag),
  };
}

/** Whether a memory with these tag tokens passes the filter. */
export function passes(filter: TagTokens | undefined, tags: ReadonlySet<string>): boolean {
  if (!filter) return true;
  const has = (token: bigint): boolean => tags.has(token.toString());
  return (filter.any === undefined || filter.any.some(has)) && filter.all.every(has) && !filter.not.some(has);
}
