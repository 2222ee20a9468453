import { concatBytes, requireLength, u64, utf8 } from '@memrelay/envelope/bytes';
import { hkdfExpand, hkdfExtract } from '@memrelay/envelope/hkdf';
import type { Primitives } from '@memrelay/envelope/primitives';
import { toHex } from '@memrelay/protocol/bytes';
import { createVectorMap, type VectorMap } from '@memrelay/text-index/vector-map';
import { tokenizerVersion } from '@memrelay/text-index/words/terms';

/** What a search secret belongs to; part of every key that is derived from it. */
export interface SecretScope {
  /** Tag of the private namespace, 16 bytes */
  tag: Uint8Array;
  keyEpoch: bigint;
  /** The secret's `envelope_id`, 16 bytes */
  searchId: Uint8Array;
}

/** Tokens and vectors under one search secret (security.md, "Private namespaces"). */
export interface SearchKeys {
  /** 32 lower-case hex digits, as on the wire */
  readonly searchId: string;
  readonly keyEpoch: bigint;
  /** 16 bytes. HMAC(words key, u16le tokenizer version ‖ UTF-8(term))[0..16] */
  wordToken(term: string): Uint8Array;
  /** 16 bytes. HMAC(context key, label ‖ 00 ‖ UTF-8(value))[0..16] */
  contextToken(label: PrivateLabel, value: string): Uint8Array;
  /** The keyed map of vectors of this dimension: the same construction as the relayer's, with another key */
  vectorMap(dimension: number): VectorMap;
  /** Overwrites the keys; later calls throw `RangeError`. */
  destroy(): void;
}

export type PrivateLabel = 'session' | 'speaker' | 'day' | 'month' | 'tag';

const salt = utf8('memrelay-private-v1');
const tokenLength = 16;
const secretLength = 32;

type Purpose = 'words' | 'vectors' | 'context';

/** HKDF-SHA-256(secret, "memrelay-private-v1", purpose ‖ 00 ‖ tag ‖ u64le epoch ‖ search_id), 32 bytes per purpose. */
export function deriveSearchKey(
  p: Primitives,
  secret: Uint8Array,
  { tag, keyEpoch, searchId }: SecretScope,
  purpose: Purpose,
): Uint8Array {
  requireLength(secret, secretLength, 'search secret');
  requireLength(tag, 16, 'tag');
  requireLength(searchId, 16, 'search_id');
  const info = concatBytes(utf8(purpose), Uint8Array.of(0), tag, u64(keyEpoch), searchId);
  const extracted = hkdfExtract(p, salt, secret);
  const key = hkdfExpand(p, extracted, info, 32);
  extracted.fill(0);
  return key;
}

/** Copies what it needs: the caller overwrites `secret`. Throws `RangeError` for parts of a wrong length. */
export function searchKeys(p: Primitives, secret: Uint8Array, scope: SecretScope): SearchKeys {
  const words = deriveSearchKey(p, secret, scope, 'words');
  const vectors = deriveSearchKey(p, secret, scope, 'vectors');
  const context = deriveSearchKey(p, secret, scope, 'context');
  const version = Uint8Array.of(tokenizerVersion & 0xff, tokenizerVersion >> 8);
  const maps = new Map<number, VectorMap>();
  let destroyed = false;
  const token = (key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array => {
    if (destroyed) throw new RangeError('the search keys were destroyed');
    return p.hmacSha256(key, ...parts).slice(0, tokenLength);
  };
  return {
    searchId: toHex(scope.searchId),
    keyEpoch: scope.keyEpoch,
    wordToken: (term) => token(words, version, utf8(term)),
    contextToken: (label, value) => token(context, utf8(label), Uint8Array.of(0), utf8(value)),
    vectorMap(dimension) {
      if (destroyed) throw new RangeError('the search keys were destroyed');
      const known = maps.get(dimension);
      if (known) return known;
      const made = createVectorMap(
        (key, info, length) => hkdfExpand(p, hkdfExtract(p, new Uint8Array(0), key), utf8(info), length),
        vectors,
        dimension,
      );
      maps.set(dimension, made);
      return made;
    },
    destroy() {
      destroyed = true;
      for (const key of [words, vectors, context]) key.fill(0);
      maps.clear();
    },
  };
}
