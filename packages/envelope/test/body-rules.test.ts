import { toHex } from '@memrelay/protocol/bytes';
import { describe, expect, it } from 'vitest';
import { encodeContent, padBody, signedMessage } from '../src/body.ts';
import { concatBytes, readU32, u32, utf8 } from '../src/bytes.ts';
import { checkWrap } from '../src/check-wrap.ts';
import { EnvelopeError } from '../src/envelope-error.ts';
import { newEnvelopeId } from '../src/envelope-id.ts';
import { envelopeKind, parseHeader } from '../src/header.ts';
import { encodeMeta } from '../src/meta.ts';
import { namespaceTag } from '../src/namespace-tag.ts';
import { checkHeader, checkIndexRow, openBody } from '../src/open-envelope.ts';
import { portablePrimitives } from '../src/portable-primitives.ts';
import { filled, p, refusal, type Sealed, seal, wrapExpectation } from './fixtures.ts';
import { contentOf, forge, signedBody } from './forge.ts';
import { readAll } from './read-all.ts';

const reasonOf = (of: Sealed, bytes: Uint8Array) => refusal(() => readAll(of, bytes));

describe('an authenticated body that breaks a rule', () => {
  const sealed = seal();

  it('is accepted if it breaks none', () => {
    expect(reasonOf(sealed, signedBody(sealed, contentOf(sealed)))).toBe('accepted');
  });

  it.each([
    ['padding not zero', (body: Uint8Array) => body.set([1], body.length - 1), 'bad_padding'],
    ['meta length beyond the body', (body: Uint8Array) => body.set(u32(8_000)), 'malformed'],
    ['meta length above 16 KiB', (body: Uint8Array) => body.set(u32(16_385)), 'malformed'],
    ['meta length of 4 GiB', (body: Uint8Array) => body.set(u32(0xffff_ffff)), 'malformed'],
    [
      'text length of 4 GiB',
      (body: Uint8Array) => body.set(u32(0xffff_ffff), 4 + readU32(body, 0)),
      'malformed',
    ],
  ])('is rejected: %s', (_, change, reason) => {
    expect(reasonOf(sealed, signedBody(sealed, contentOf(sealed), change))).toBe(reason);
  });

  it('is rejected when a field boundary moves by a byte', () => {
    for (const by of [-1, 1]) {
      const shift = (body: Uint8Array) => {
        const at = 4 + readU32(body, 0);
        body.set(u32(readU32(body, at) + by), at);
      };
      expect(reasonOf(sealed, signedBody(sealed, contentOf(sealed), shift))).not.toBe('accepted');
    }
  });

  it('is rejected when it is padded to another size', () => {
    for (const length of [1_025, 1_088, 4_096]) {
      const bytes = forge(
        sealed,
        (header) => {
          const content = contentOf(sealed);
          const signature = p.ed25519Sign(sealed.input.signer, signedMessage(p, header, content));
          const body = padBody(content, signature);
          return concatBytes(body, new Uint8Array(length - body.length));
        },
        length,
      );
      expect(reasonOf(sealed, bytes)).toBe('bad_padding');
    }
  });

  it('is rejected when its namespace does not match the tag', () => {
    const meta = encodeMeta({ ns: 'other', ...sealed.input.meta });
    expect(reasonOf(sealed, signedBody(sealed, contentOf(sealed, { meta })))).toBe('wrong_tag');
  });

  it('is rejected when it is private under the tag of a readable namespace, or the other way round', () => {
    const meta = encodeMeta({ ns: sealed.input.namespace, ...sealed.input.meta, private: true });
    expect(reasonOf(sealed, signedBody(sealed, contentOf(sealed, { meta })))).toBe('wrong_tag');
    const hidden = seal({ meta: { ...sealed.input.meta, private: true } });
    const plain = encodeMeta({ ns: hidden.input.namespace, ...sealed.input.meta });
    expect(reasonOf(hidden, hidden.bytes)).toBe('accepted');
    expect(reasonOf(hidden, signedBody(hidden, contentOf(hidden, { meta: plain })))).toBe('wrong_tag');
  });

  it('of a search secret can only be sealed in a private namespace', () => {
    expect(() => seal({ kind: envelopeKind.searchSecret })).toThrow('private namespace');
  });

  it('is rejected when meta or text is invalid', () => {
    const withMeta = (meta: Uint8Array) => reasonOf(sealed, signedBody(sealed, contentOf(sealed, { meta })));
    expect(withMeta(utf8('{}'))).toBe('bad_meta');
    expect(withMeta(new Uint8Array(0))).toBe('bad_meta');
    const text = Uint8Array.of(0x61, 0xff);
    expect(reasonOf(sealed, signedBody(sealed, contentOf(sealed, { text })))).toBe('malformed');
    const overlong = Uint8Array.of(0xc0, 0xaf);
    expect(reasonOf(sealed, signedBody(sealed, contentOf(sealed, { text: overlong })))).toBe('malformed');
  });

  it('is rejected when signed by a key of small order', () => {
    const signer = concatBytes(Uint8Array.of(1), filled(0, 31));
    const content = contentOf(sealed, { signer });
    const signature = concatBytes(signer, filled(0, 32));
    expect(
      reasonOf(
        { ...sealed, trust: () => true },
        forge(sealed, () => padBody(content, signature)),
      ),
    ).toBe('bad_signature');
  });

  it('checks in order: padding, meta, namespace, signature, trust', () => {
    const untrusted = { ...sealed, trust: new Set<string>() };
    const wrongNamespace = contentOf(sealed, { meta: encodeMeta({ ns: 'other', ...sealed.input.meta }) });
    const breakSignature = (body: Uint8Array, content: Uint8Array) => body.set(filled(1, 64), content.length);
    const breakPadding = (body: Uint8Array) => body.set([1], body.length - 1);
    const content = contentOf(sealed);
    const all = signedBody(sealed, wrongNamespace, (body) => {
      breakSignature(body, wrongNamespace);
      breakPadding(body);
    });
    expect(reasonOf(untrusted, all)).toBe('bad_padding');
    const two = signedBody(sealed, wrongNamespace, (body) => breakSignature(body, wrongNamespace));
    expect(reasonOf(untrusted, two)).toBe('wrong_tag');
    expect(
      reasonOf(
        untrusted,
        signedBody(sealed, content, (body) => breakSignature(body, content)),
      ),
    ).toBe('bad_signature');
    expect(reasonOf(untrusted, signedBody(sealed, content))).toBe('untrusted_signer');
  });
});

describe('trust', () => {
  const sealed = seal();
  const envelope = checkHeader(sealed.bytes, sealed.expectation);
  const signer = p.ed25519PublicKey(sealed.input.signer);

  it('is a set of hex keys or a function, and the result names the signer', () => {
    expect(openBody(p, envelope, sealed.privateKey, new Set([toHex(signer)])).signer).toEqual(signer);
    expect(openBody(p, envelope, sealed.privateKey, () => true).signer).toEqual(signer);
  });

  it('is checked only for a valid signature, and a rejection names the signer and no text', () => {
    const asked: Uint8Array[] = [];
    const refuse = (key: Uint8Array) => {
      asked.push(key);
      return false;
    };
    let caught: unknown;
    try {
      openBody(p, envelope, sealed.privateKey, refuse);
    } catch (error) {
      caught = error;
    }
    expect(asked).toEqual([signer]);
    expect(caught).toBeInstanceOf(EnvelopeError);
    const error = caught as EnvelopeError;
    expect(error).toMatchObject({ reason: 'untrusted_signer', integrity: true, signer });
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('cat');
    const forged = forge(sealed, () => padBody(contentOf(sealed), filled(7, 64)));
    const before = asked.length;
    refusal(() => openBody(p, checkHeader(forged, sealed.expectation), sealed.privateKey, refuse));
    expect(asked).toHaveLength(before);
  });

  it('treats every rejection as an integrity failure, except for an unsupported format', () => {
    expect(new EnvelopeError('unsupported_envelope', '').integrity).toBe(false);
    expect(new EnvelopeError('decrypt_failed', '').integrity).toBe(true);
  });
});

describe('index row', () => {
  it('must name this envelope and its bytes', () => {
    const sealed = seal();
    const envelope = checkHeader(sealed.bytes, sealed.expectation);
    const row = { envelopeId: sealed.input.envelopeId, sha256: p.sha256(sealed.bytes) };
    expect(refusal(() => checkIndexRow(p, envelope, row))).toBe('accepted');
    const twin = seal({ ...sealed.input });
    const other = checkHeader(twin.bytes, sealed.expectation);
    expect(refusal(() => checkIndexRow(p, other, row))).toBe('index_mismatch');
    const renamed = { ...row, envelopeId: newEnvelopeId(p) };
    expect(refusal(() => checkIndexRow(p, envelope, renamed))).toBe('index_mismatch');
  });
});

describe('the pieces of the reader', () => {
  it('use the same tag that the writer derives', () => {
    const sealed = seal({ namespace: 'notes/2026' });
    expect(namespaceTag(portablePrimitives, sealed.input.origin, 'notes/2026')).toEqual(
      parseHeader(sealed.bytes).tag,
    );
    expect(checkWrap(checkHeader(sealed.bytes, sealed.expectation), wrapExpectation).object.threshold).toBe(
      2,
    );
    expect(encodeContent({ ns: 'notes/2026', ...sealed.input.meta }, sealed.input.text, filled(1))).toEqual(
      contentOf(sealed, { signer: filled(1) }),
    );
  });
});
