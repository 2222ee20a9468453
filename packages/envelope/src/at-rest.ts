import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { anyCaseHex32Pattern, fromHex, toHex } from '@memrelay/protocol/bytes';
import { concatBytes, equalBytes, plainView, u32, utf8 } from './bytes.ts';
import { hmacSha256 } from './hmac-node.ts';

/** Encryption of database cells (security.md, "At rest"). Only for Node, because clients do not have these secrets. */

/** A cell that cannot be opened. The message contains no secret. */
export class AtRestError extends Error {
  readonly reason: 'unknown_key' | 'damaged';

  constructor(reason: 'unknown_key' | 'damaged', message: string) {
    super(message);
    this.name = 'AtRestError';
    this.reason = reason;
  }
}

/** Concatenates the parts, each after its length, so that different lists never give the same bytes. */
function lengthPrefixed(parts: readonly (string | Uint8Array)[]): Uint8Array {
  return concatBytes(
    ...parts.flatMap((part) => {
      const bytes = typeof part === 'string' ? utf8(part) : part;
      return [u32(bytes.length), bytes];
    }),
  );
}

const lastBlock = Uint8Array.of(1);
const noSalt = new Uint8Array(0);

/** HKDF-SHA256 (RFC 5869) for at most 32 bytes: one block. OpenSSL's takes three times as long to set up (measured). */
function derive(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  const extracted = salt === noSalt ? extractedFrom(secret) : hmacSha256(salt, secret);
  return hmacSha256(extracted, info, lastBlock).slice(0, length);
}

/**
 * The key extracted from a secret without a salt. An entry exists as long as the caller's array. Its copy detects an array
 * that was wiped and reused.
 */
const extractions = new WeakMap<Uint8Array, { secret: Uint8Array; extracted: Uint8Array }>();

function extractedFrom(secret: Uint8Array): Uint8Array {
  const known = extractions.get(secret);
  if (known !== undefined && equalBytes(known.secret, secret)) return known.extracted;
  const extracted = hmacSha256(noSalt, secret);
  extractions.set(secret, { secret: Uint8Array.from(secret), extracted });
  return extracted;
}

/**
 * Reads a comma list of secrets of 32 bytes in hex, newest first (`MEM_SERVER_SECRET`; a single one for
 * `MEM_INDEX_KEY`). Throws `RangeError`, which never repeats the value.
 */
export function parseSecrets(list: string): Uint8Array[] {
  const secrets = list.split(',').map((item) => item.trim());
  if (!secrets.every((secret) => anyCaseHex32Pattern.test(secret)))
    throw new RangeError('each secret must be 32 bytes in hex');
  if (new Set(secrets.map((secret) => secret.toLowerCase())).size !== secrets.length)
    throw new RangeError('a secret is listed twice');
  return secrets.map(fromHex);
}

/**
 * 32 hex digits that detect a changed secret, kept in the database so that a start with another secret fails. They reveal
 * nothing about a secret of 32 random bytes.
 */
export function secretCheckValue(secret: Uint8Array): string {
  return toHex(derive(secret, noSalt, utf8('memrelay-secret-check-v1'), 16));
}

/** Like `secretCheckValue`, for one secret of a list. The same secret has a different value in each variable. */
export function listedCheckValue(variable: string, secret: Uint8Array): string {
  return toHex(derive(secret, noSalt, lengthPrefixed(['memrelay-secret-check-v2', variable]), 16));
}

const keyIdLength = 8;

function keyId(secret: Uint8Array): string {
  return toHex(derive(secret, noSalt, utf8('memrelay-secret-id-v1'), keyIdLength));
}

/** The server secrets by key id. New cells use the first. */
export interface SecretRing {
  currentId: string;
  byId: ReadonlyMap<string, Uint8Array>;
}

export function secretRing(secrets: readonly Uint8Array[]): SecretRing {
  const first = secrets[0];
  if (first === undefined) throw new RangeError('at least one secret is needed');
  return { currentId: keyId(first), byId: new Map(secrets.map((secret) => [keyId(secret), secret])) };
}

/** Key ids in `used` for which the ring has no secret. The relayer refuses to start if there are any. */
export function missingKeyIds(ring: SecretRing, used: Iterable<string>): string[] {
  return [...new Set(used)].filter((id) => !ring.byId.has(id));
}

/** Position of a cell in the database. A cell that was copied to another position does not open. */
export interface CellPosition {
  jobId: string;
  account: string;
  namespace: string;
  column: string;
}

/** Cell: version 1 ‖ key id 8 ‖ nonce 12 ‖ ciphertext ‖ tag 16. */
const cellVersion = 1;
const nonceAt = 1 + keyIdLength;
const sealedAt = nonceAt + 12;
const tagLength = 16;

const rowKeyLabel = utf8('memrelay-outbox-v1');

/** As a key object: raw keys cost Node 24 another 15 µs (measured). */
function rowKey(secret: Uint8Array, jobId: string): KeyObject {
  const key = derive(secret, utf8(jobId), rowKeyLabel, 32);
  const object = createSecretKey(key);
  key.fill(0);
  return object;
}

function cellAad(position: CellPosition): Uint8Array {
  return lengthPrefixed([position.jobId, position.account, position.namespace, position.column]);
}

/** Seals one column of one job under its row key, a child of the current secret. */
export function sealCell(ring: SecretRing, position: CellPosition, plaintext: Uint8Array): Uint8Array {
  const nonce = randomBytes(12);
  const key = rowKey(ring.byId.get(ring.currentId)!, position.jobId);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength }).setAAD(
    cellAad(position),
  );
  const sealed = concatBytes(cipher.update(plaintext), cipher.final());
  return concatBytes(Uint8Array.of(cellVersion), fromHex(ring.currentId), nonce, sealed, cipher.getAuthTag());
}

/** The id of the secret that sealed a cell, for the row's key-id column. Throws `AtRestError` `damaged`. */
export function cellKeyId(cell: Uint8Array): string {
  if (cell.length < sealedAt + tagLength || cell[0] !== cellVersion)
    throw new AtRestError('damaged', 'not a sealed cell');
  return toHex(cell.subarray(1, nonceAt));
}

/** Throws `AtRestError`: `unknown_key` if the ring does not have its secret, `damaged` if it does not open in this position. */
export function openCell(ring: SecretRing, position: CellPosition, cell: Uint8Array): Uint8Array {
  const id = cellKeyId(cell);
  const secret = ring.byId.get(id);
  if (secret === undefined) throw new AtRestError('unknown_key', `sealed with the secret of id ${id}`);
  const key = rowKey(secret, position.jobId);
  const decipher = createDecipheriv('aes-256-gcm', key, cell.subarray(nonceAt, sealedAt), {
    authTagLength: tagLength,
  });
  decipher.setAAD(cellAad(position)).setAuthTag(cell.subarray(-tagLength));
  const plaintext = decipher.update(cell.subarray(sealedAt, -tagLength));
  try {
    decipher.final();
  } catch {
    plaintext.fill(0);
    throw new AtRestError('damaged', 'the cell does not open in this column and row');
  }
  return plainView(plaintext);
}

export type IndexPurpose =
  | 'blind-index'
  | 'dedupe'
  | 'idem'
  | 'vector-map'
  | 'lexical'
  | 'embed-cache'
  | 'namespace-key'
  | 'imported-id'
  | 'context-fields'
  | 'list-cursor'
  | 'oauth-token'
  | 'oauth-value'
  | 'webhook';

/**
 * The 32-byte child of `MEM_INDEX_KEY` for one purpose in one account and, with `within`, for a part of it such as a
 * namespace tag. It must stay the same: with another key, data stored with this one is no longer found.
 */
export function indexKey(
  secret: Uint8Array,
  purpose: IndexPurpose,
  account: string,
  ...within: readonly (string | Uint8Array)[]
): Uint8Array {
  const info = lengthPrefixed(['memrelay-index-v1', purpose, account, ...within]);
  return derive(secret, noSalt, info, 32);
}

/** HMAC-SHA-256 over the parts, each after its length. Used for deduplication, idempotency and token hashes. */
export function keyedHash(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Uint8Array {
  return hmacSha256(key, lengthPrefixed(parts));
}

const tokenLabel = utf8('t1');

/** HMAC(K(account, tag), "t1" ‖ stem)[0..8]. `key` is `indexKey(secret, 'blind-index', account, tag)`. */
export function blindToken(key: Uint8Array, stem: string): Uint8Array {
  return hmacSha256(key, tokenLabel, utf8(stem)).slice(0, 8);
}
