import { createHmac, hkdfSync } from 'node:crypto';
import { toHex } from '@memrelay/protocol/bytes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AtRestError,
  blindToken,
  type CellPosition,
  cellKeyId,
  indexKey,
  keyedHash,
  missingKeyIds,
  openCell,
  parseSecrets,
  sealCell,
  secretCheckValue,
  secretRing,
} from '../src/at-rest.ts';
import { utf8 } from '../src/bytes.ts';
import { filled, p } from './fixtures.ts';

const oldSecret = filled(1);
const newSecret = filled(2);
const position: CellPosition = { jobId: 'job-1', account: '0xabc', namespace: 'work', column: 'text' };
const text = utf8('The cat likes the blue chair.');

function reasonOf(act: () => unknown): string {
  try {
    act();
    return 'accepted';
  } catch (error) {
    if (error instanceof AtRestError) return error.reason;
    throw error;
  }
}

describe('outbox cell', () => {
  const ring = secretRing([newSecret, oldSecret]);

  it('opens in its position, in every size, and looks different each time', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.string({ maxLength: 40 }), (plaintext, column) => {
        fc.pre(column.isWellFormed());
        const cell = sealCell(ring, { ...position, column }, plaintext);
        expect(openCell(ring, { ...position, column }, cell)).toEqual(plaintext);
        expect(cell).toHaveLength(1 + 8 + 12 + plaintext.length + 16);
        expect(sealCell(ring, { ...position, column }, plaintext)).not.toEqual(cell);
      }),
      { numRuns: 40 },
    );
  });

  it('opens nowhere else, not even if the concatenated names are equal', () => {
    const cell = sealCell(ring, position, text);
    for (const change of [
      { jobId: 'job-2' },
      { account: '0xabd' },
      { namespace: 'other' },
      { column: 'meta' },
      { account: '0xabcw', namespace: 'ork' },
      { namespace: 'workt', column: 'ext' },
      { namespace: '', column: 'worktext' },
    ])
      expect(reasonOf(() => openCell(ring, { ...position, ...change }, cell))).toBe('damaged');
  });

  it('is rejected with any byte changed, removed or added', () => {
    const cell = sealCell(ring, position, text);
    for (let i = 0; i < cell.length; i++) {
      const changed = cell.slice();
      changed[i]! ^= 0x80;
      expect(['damaged', 'unknown_key']).toContain(reasonOf(() => openCell(ring, position, changed)));
      expect(reasonOf(() => openCell(ring, position, cell.subarray(0, i)))).toBe('damaged');
    }
    expect(reasonOf(() => openCell(ring, position, Uint8Array.of(...cell, 0)))).toBe('damaged');
  });

  it('of an older secret opens while the secret is listed; otherwise the boot detects it', () => {
    const before = sealCell(secretRing([oldSecret]), position, text);
    expect(openCell(ring, position, before)).toEqual(text);
    expect(cellKeyId(sealCell(ring, position, text))).toBe(ring.currentId);
    expect(cellKeyId(before)).not.toBe(ring.currentId);

    const without = secretRing([newSecret]);
    expect(reasonOf(() => openCell(without, position, before))).toBe('unknown_key');
    const used = [cellKeyId(before), ring.currentId, cellKeyId(before)];
    expect(missingKeyIds(ring, used)).toEqual([]);
    expect(missingKeyIds(without, used)).toEqual([cellKeyId(before)]);
  });

  it('contains no plaintext, and its row key is HKDF with the job id as salt', () => {
    const cell = sealCell(ring, position, text);
    expect(toHex(cell)).not.toContain(toHex(text.subarray(0, 8)));
    const rowKey = new Uint8Array(hkdfSync('sha256', newSecret, 'job-1', 'memrelay-outbox-v1', 32));
    const parts = [position.jobId, position.account, position.namespace, position.column];
    const aad = Buffer.concat(
      parts.flatMap((part) => [Buffer.from(new Uint32Array([part.length]).buffer), Buffer.from(part)]),
    );
    expect(p.aesGcmOpen(rowKey, cell.subarray(9, 21), aad, cell.subarray(21))).toEqual(text);
  });
});

describe('secrets', () => {
  it('derive other keys once their array has other bytes', () => {
    const secret = filled(3);
    const before = indexKey(secret, 'dedupe', '0xabc');
    secret.fill(4);
    expect(indexKey(secret, 'dedupe', '0xabc')).toEqual(indexKey(filled(4), 'dedupe', '0xabc'));
    expect(indexKey(filled(3), 'dedupe', '0xabc')).toEqual(before);
  });

  it('are read from a comma list of 32-byte hex', () => {
    expect(parseSecrets(` ${'01'.repeat(32)}, ${'AB'.repeat(32)}`)).toEqual([filled(1), filled(0xab)]);
    for (const list of ['', 'abc', '01'.repeat(31), `${'01'.repeat(32)},`, `${'0x01'}${'01'.repeat(31)}`])
      expect(() => parseSecrets(list)).toThrow(RangeError);
    expect(() => parseSecrets(`${'ab'.repeat(32)},${'AB'.repeat(32)}`)).toThrow('twice');
    expect(() => parseSecrets('hunter2')).toThrow(/^(?!.*hunter2)/);
    expect(() => secretRing([])).toThrow(RangeError);
  });

  it('have a check value that distinguishes them and contains no key material', () => {
    expect(secretCheckValue(oldSecret)).toMatch(/^[0-9a-f]{32}$/);
    expect(secretCheckValue(oldSecret)).toBe(secretCheckValue(filled(1)));
    expect(secretCheckValue(oldSecret)).not.toBe(secretCheckValue(newSecret));
    expect(secretRing([oldSecret]).currentId).not.toBe(secretCheckValue(oldSecret).slice(0, 16));
  });
});

describe('index keys', () => {
  const purposes = ['blind-index', 'dedupe', 'idem', 'vector-map', 'embed-cache'] as const;

  it('differ by secret, purpose, account and scope, and are stable', () => {
    const keys = [
      ...purposes.map((purpose) => indexKey(oldSecret, purpose, '0xa')),
      indexKey(newSecret, 'dedupe', '0xa'),
      indexKey(oldSecret, 'dedupe', '0xb'),
      indexKey(oldSecret, 'dedupe', '0xa', 'x'),
      indexKey(oldSecret, 'dedupe', '0xa', ''),
      indexKey(oldSecret, 'dedupe', '0xax'),
    ].map(toHex);
    expect(new Set(keys).size).toBe(keys.length);
    expect(toHex(indexKey(oldSecret, 'dedupe', '0xa', filled(1, 16)))).toBe(
      toHex(indexKey(oldSecret, 'dedupe', '0xa', filled(1, 16))),
    );
    // Stored data depends on these bytes, so the test must fail if the derivation changes
    expect(keys[0]).toBe('09f5e06ebb86cc26d05432c1bd2a29f3758a03e9535a1cfbd1cbe8cee2253ed6');
  });

  it('hash parts without ambiguity', () => {
    const key = indexKey(oldSecret, 'idem', '0xa');
    expect(keyedHash(key, 'ab', 'c')).not.toEqual(keyedHash(key, 'a', 'bc'));
    expect(keyedHash(key, 'abc')).not.toEqual(keyedHash(key, 'abc', ''));
    expect(keyedHash(key, 'abc')).toEqual(keyedHash(key, utf8('abc')));
    expect(keyedHash(key)).toHaveLength(32);
  });

  it('make blind tokens of eight bytes as the spec says', () => {
    const key = indexKey(oldSecret, 'blind-index', '0xa', filled(1, 16));
    const expected = createHmac('sha256', key).update('t1cat').digest().subarray(0, 8);
    expect(toHex(blindToken(key, 'cat'))).toBe(toHex(expected));
    expect(blindToken(key, 'cat')).not.toEqual(blindToken(key, 'cats'));
  });
});
