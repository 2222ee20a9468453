import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../src/bytes.ts';
import { envelopeKind, maxEnvelopeLength, parseHeader } from '../src/header.ts';
import { nodePrimitives } from '../src/node-primitives.ts';
import { checkHeader, openBody } from '../src/open-envelope.ts';
import { portablePrimitives } from '../src/portable-primitives.ts';
import { filled, p, seal, sealWrap } from './fixtures.ts';
import { readAll } from './read-all.ts';

describe('round trip', () => {
  it('returns every text, meta, namespace, kind and epoch, across primitive sets', () => {
    const meta = fc.record(
      {
        created_at: fc.constant('2026-02-01T12:00:00Z'),
        importance: fc
          .double({ noNaN: true, noDefaultInfinity: true })
          .filter((value) => !Object.is(value, -0)),
        by: fc.string({ unit: 'grapheme', maxLength: 40 }),
        private: fc.constant(true as const),
        search_id: fc.constant('5e'.repeat(16)),
      },
      { requiredKeys: ['created_at'] },
    );
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 3_000 }),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        meta,
        fc.constantFrom(...Object.values(envelopeKind)),
        fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
        fc.constantFrom(nodePrimitives, portablePrimitives),
        fc.constantFrom(nodePrimitives, portablePrimitives),
        (text, namespace, metaFields, kind, keyEpoch, sealer, opener) => {
          fc.pre(text.isWellFormed() && namespace.isWellFormed());
          fc.pre(kind !== envelopeKind.searchSecret || metaFields.private === true);
          const changes = { text, namespace, kind, keyEpoch, meta: metaFields };
          const sealed = seal(changes as Parameters<typeof seal>[0], sealer);
          const opened = readAll(sealed, sealed.bytes, opener);
          expect(opened.text).toBe(text);
          expect(opened.meta).toEqual({ ...metaFields, ns: namespace });
          expect(opened.header).toMatchObject({ kind, keyEpoch, origin: sealed.input.origin });
          expect(opened.signer).toEqual(p.ed25519PublicKey(sealed.input.signer));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps a byte order mark, NUL and combining marks', () => {
    for (const text of ['', '\ufeffhello', 'a\0b', 'e\u0301\u{1f469}\u200d\u{1f680}', '\uffff'])
      expect(readAll(seal({ text })).text).toBe(text);
  });

  it('hides the length up to the Padmé size', () => {
    const sizes = (...texts: string[]) => new Set(texts.map((text) => seal({ text }).bytes.length)).size;
    expect(sizes('', 'a', 'x'.repeat(800))).toBe(1);
    expect(sizes('x'.repeat(1_000), 'x'.repeat(1_001), 'x'.repeat(1_010))).toBe(1);
  });

  it('accepts 1 MiB of text, and rejects envelopes above 1.5 MiB', () => {
    const text = 'é'.repeat(524_288);
    const large = seal({ text, wraps: [{ type: 9, bytes: filled(1, 16_000) }] });
    expect(large.bytes.length).toBeLessThan(maxEnvelopeLength);
    const envelope = checkHeader(large.bytes, large.expectation);
    expect(openBody(p, envelope, large.privateKey, large.trust).text).toBe(text);
    expect(() => seal({ text: 'x'.repeat(maxEnvelopeLength) })).toThrow('1.5 MiB');
  });

  it('encapsulates afresh each time', () => {
    const first = seal();
    const again = seal({ ...first.input });
    const [a, b] = [parseHeader(first.bytes), parseHeader(again.bytes)];
    expect(a.enc).not.toEqual(b.enc);
    expect(first.bytes.slice(a.headerLength)).not.toEqual(again.bytes.slice(b.headerLength));
  });

  it('opens a view of a larger buffer, and a Buffer', () => {
    const sealed = seal();
    const around = concatBytes(filled(1, 13), sealed.bytes, filled(2, 7));
    expect(readAll(sealed, around.subarray(13, -7)).text).toBe(sealed.input.text);
    expect(readAll(sealed, Buffer.from(sealed.bytes)).text).toBe(sealed.input.text);
  });

  it('keeps unknown wraps byte for byte and skips them when reading', () => {
    const sealed = seal();
    const unknown = { type: 200, bytes: filled(0xee, 33) };
    const wraps = [unknown, ...sealed.input.wraps, { type: 0, bytes: new Uint8Array(0) }];
    const extended = seal({ ...sealed.input, wraps });
    const opened = readAll({ ...extended, privateKey: sealed.privateKey });
    expect(opened.header.wraps).toEqual(wraps);
  });

  it('rejects what the format cannot represent', () => {
    for (const changes of [
      { text: 'x\ud800' },
      { namespace: '\udc00' },
      { wraps: [] },
      { recipientPk: new Uint8Array(32) },
      { signer: filled(1, 31) },
      { origin: filled(1, 31) },
      { meta: { created_at: 'now' } },
      { envelopeId: filled(1, 15) },
    ])
      expect(() => seal({ wraps: [sealWrap(filled(1, 56))], ...changes })).toThrow(RangeError);
  });
});
