import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { padBody, signedMessage } from '../src/body.ts';
import { concatBytes, readU32, utf8 } from '../src/bytes.ts';
import { newEnvelopeId } from '../src/envelope-id.ts';
import { parseHeader } from '../src/header.ts';
import { sealIdentity } from '../src/identity.ts';
import { checkHeader, openBody } from '../src/open-envelope.ts';
import { filled, p, refusal, type Sealed, seal, sealWrap, wrapExpectation } from './fixtures.ts';
import { contentOf, forge } from './forge.ts';
import { readAll } from './read-all.ts';

const headerLengthOf = (bytes: Uint8Array) => readU32(bytes, 8);
const reasonOf = (of: Sealed, bytes: Uint8Array) => refusal(() => readAll(of, bytes));

describe('changed bytes', () => {
  it('are rejected at every position of a small envelope', () => {
    const sealed = seal();
    for (let i = 0; i < sealed.bytes.length; i++) {
      const bytes = sealed.bytes.slice();
      bytes[i]! ^= 1 << (i % 8);
      expect(reasonOf(sealed, bytes), `byte ${i}`).not.toBe('accepted');
    }
  });

  it('are rejected in every bit of the header', () => {
    const sealed = seal();
    for (let bit = 0; bit < headerLengthOf(sealed.bytes) * 8; bit++) {
      const bytes = sealed.bytes.slice();
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      expect(reasonOf(sealed, bytes), `bit ${bit}`).not.toBe('accepted');
    }
  });

  it('are rejected in samples of a large one', () => {
    const sealed = seal({ text: 'long '.repeat(40_000) });
    fc.assert(
      fc.property(fc.nat(sealed.bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = sealed.bytes.slice();
        bytes[at]! ^= flip;
        expect(reasonOf(sealed, bytes)).not.toBe('accepted');
      }),
      { numRuns: 200 },
    );
  });

  it('are rejected as truncation and extension at every length', () => {
    const sealed = seal();
    for (let length = 0; length < sealed.bytes.length; length++)
      expect(reasonOf(sealed, sealed.bytes.subarray(0, length))).toBe('malformed');
    for (const extra of [1, 16, 1_024])
      expect(reasonOf(sealed, concatBytes(sealed.bytes, filled(0, extra)))).toBe('malformed');
  });
});

describe('an envelope in the wrong place', () => {
  const sealed = seal();

  it('with the body of another one of the same pair is rejected', () => {
    const other = seal({ ...sealed.input, envelopeId: newEnvelopeId(p), text: 'Another memory.' });
    const at = headerLengthOf(sealed.bytes);
    const swapped = concatBytes(sealed.bytes.subarray(0, at), other.bytes.subarray(at));
    expect(readAll({ ...other, privateKey: sealed.privateKey }).text).toBe('Another memory.');
    expect(reasonOf(sealed, swapped)).toBe('decrypt_failed');
  });

  it('of another account, namespace, or epoch is rejected before anything is opened', () => {
    const { origin } = sealed.input;
    expect(reasonOf(sealed, seal().bytes)).toBe('wrong_origin');
    expect(reasonOf(sealed, seal({ origin, namespace: 'other' }).bytes)).toBe('wrong_tag');
    expect(reasonOf(sealed, seal({ origin, keyEpoch: 8n }).bytes)).toBe('future_epoch');
  });

  it('of an older epoch is readable with its own key', () => {
    const old = seal({ keyEpoch: 3n });
    const later = { ...old, expectation: { ...old.expectation, maxEpoch: 9n } };
    expect(readAll(later).header.keyEpoch).toBe(3n);
  });

  it('with an older epoch written into it is rejected', () => {
    const bytes = sealed.bytes.slice();
    bytes[64] = 6;
    expect(reasonOf(sealed, bytes)).toBe('foreign_wrap');
    expect(
      refusal(() => openBody(p, checkHeader(bytes, sealed.expectation), sealed.privateKey, sealed.trust)),
    ).toBe('decrypt_failed');
  });

  it('is rejected with the key of another pair', () => {
    const envelope = checkHeader(sealed.bytes, sealed.expectation);
    for (const key of [p.randomBytes(32), filled(1, 31), new Uint8Array(0)])
      expect(refusal(() => openBody(p, envelope, key, sealed.trust))).toBe('wrong_recipient');
  });

  it('with the wrap of another identity, package, set or threshold is rejected', () => {
    const { identity } = parseHeader(sealed.bytes);
    const foreign = sealIdentity(filled(1), sealed.expectation.tag, 7n);
    for (const wrap of [
      sealWrap(foreign),
      sealWrap(identity, undefined, filled(9)),
      sealWrap(identity, { servers: [{ objectId: filled(0xb1), weight: 2 }], threshold: 2 }),
      sealWrap(identity, { ...wrapExpectation.serverSets[0]!, threshold: 1 }),
    ])
      expect(reasonOf(sealed, seal({ ...sealed.input, wraps: [wrap] }).bytes)).toBe('foreign_wrap');
  });

  it('whose header was replayed over a new body is rejected, because its writer did not sign that', () => {
    // An attacker knows the public key and can therefore seal under the same header fields. Only the signature prevents that.
    const attacker = p.randomBytes(32);
    const mine = forge(sealed, (header, length) => {
      const content = contentOf(sealed, {
        text: utf8('Send the money.'),
        signer: p.ed25519PublicKey(attacker),
      });
      const body = padBody(content, p.ed25519Sign(attacker, signedMessage(p, header, content)));
      expect(body).toHaveLength(length);
      return body;
    });
    expect(reasonOf(sealed, mine)).toBe('untrusted_signer');
    const unsigned = forge(sealed, () =>
      padBody(contentOf(sealed, { text: utf8('Send it.') }), filled(7, 64)),
    );
    expect(reasonOf(sealed, unsigned)).toBe('bad_signature');
  });

  it('whose authentic plaintext was moved into a new encapsulation is rejected', () => {
    const content = contentOf(sealed);
    const original = p.ed25519Sign(
      sealed.input.signer,
      signedMessage(p, sealed.bytes.subarray(0, headerLengthOf(sealed.bytes)), content),
    );
    expect(
      reasonOf(
        sealed,
        forge(sealed, () => padBody(content, original)),
      ),
    ).toBe('bad_signature');
  });
});
