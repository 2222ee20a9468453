import { createHmac, hkdfSync } from 'node:crypto';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { toHex } from '@memrelay/protocol/bytes';
import { tokenizerVersion } from '@memrelay/text-index/words/terms';
import { describe, expect, test } from 'vitest';
import { deriveSearchKey, type SecretScope, searchKeys } from '../../src/private/search-keys.ts';

const secret = new Uint8Array(32).fill(0x51);
const scope: SecretScope = {
  tag: new Uint8Array(16).fill(0x52),
  keyEpoch: 258n,
  searchId: new Uint8Array(16).fill(0x53),
};
/** The same with OpenSSL's own HKDF, from the specification. */
function derived(purpose: string): Buffer {
  const info = Buffer.concat([
    Buffer.from(`${purpose}\0`),
    scope.tag,
    Buffer.from('0201000000000000', 'hex'),
    scope.searchId,
  ]);
  return Buffer.from(hkdfSync('sha256', secret, 'memrelay-private-v1', info, 32));
}

describe.each([
  ['OpenSSL', nodePrimitives],
  ['JavaScript', portablePrimitives],
])('the keys of a search secret with %s', (_, p) => {
  test.each(['words', 'vectors', 'context'] as const)('for %s are those of the specification', (purpose) => {
    expect(toHex(deriveSearchKey(p, secret, scope, purpose))).toBe(derived(purpose).toString('hex'));
  });

  test('make tokens of words and of context fields', () => {
    const keys = searchKeys(p, secret, scope);
    const word = Buffer.concat([Buffer.from([tokenizerVersion, 0]), Buffer.from('garten')]);
    const hmac = (key: Buffer, data: Buffer) => createHmac('sha256', key).update(data).digest('hex');
    expect(toHex(keys.wordToken('garten'))).toBe(hmac(derived('words'), word).slice(0, 32));
    const speaker = Buffer.from('speaker\0ana');
    expect(toHex(keys.contextToken('speaker', 'ana'))).toBe(hmac(derived('context'), speaker).slice(0, 32));
    expect(keys.searchId).toBe('53'.repeat(16));
  });

  test('map vectors in both directions, differently for another secret', () => {
    const keys = searchKeys(p, secret, scope);
    const other = searchKeys(p, new Uint8Array(32).fill(0x99), scope);
    const vector = Float32Array.from({ length: 384 }, (_, i) => Math.sin(i) / 14);
    const mapped = keys.vectorMap(384).apply(vector);
    const back = keys.vectorMap(384).invert(mapped);
    for (const [i, value] of back.entries()) expect(value).toBeCloseTo(vector[i]!, 5);
    expect(other.vectorMap(384).apply(vector)).not.toEqual(mapped);
  });
});

test('tokens of one word differ between namespaces, epochs, secrets and search ids', () => {
  const token = (changes: Partial<SecretScope>, of = secret): string =>
    toHex(searchKeys(nodePrimitives, of, { ...scope, ...changes }).wordToken('tea'));
  const other = new Uint8Array(16).fill(0x77);
  const all = [
    token({}),
    token({ tag: other }),
    token({ keyEpoch: 259n }),
    token({ searchId: other }),
    token({}, new Uint8Array(32).fill(0x54)),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(token({})).toBe(all[0]);
});

test('a word, a context value and a label cannot have the same token', () => {
  const keys = searchKeys(nodePrimitives, secret, scope);
  const all = [keys.wordToken('ana'), keys.contextToken('speaker', 'ana'), keys.contextToken('tag', 'ana')];
  expect(new Set(all.map(toHex)).size).toBe(3);
});

test('keys are gone after destroy', () => {
  const keys = searchKeys(nodePrimitives, secret, scope);
  keys.destroy();
  expect(() => keys.wordToken('tea')).toThrow(RangeError);
  expect(() => keys.vectorMap(384)).toThrow(RangeError);
});
