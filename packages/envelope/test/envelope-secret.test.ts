import { describe, expect, it } from 'vitest';
import { nodePrimitives } from '../src/node-primitives.ts';
import { checkHeader, envelopeSecret, openWithSecret } from '../src/open-envelope.ts';
import { portablePrimitives } from '../src/portable-primitives.ts';
import { filled, seal } from './fixtures.ts';

/** Tests the secret of one envelope, which an import sends instead of the namespace key. */

const anyone = () => true;
const opening = (sealed: ReturnType<typeof seal>, p = nodePrimitives) => {
  const envelope = checkHeader(sealed.bytes, sealed.expectation);
  return { envelope, secret: envelopeSecret(p, envelope.header, sealed.privateKey) };
};

describe('the secret of one envelope', () => {
  it.each([
    ['node', nodePrimitives],
    ['portable', portablePrimitives],
  ])('opens it as its key would (%s)', (_, p) => {
    const { envelope, secret } = opening(seal({ text: 'only this one' }), p);
    expect(openWithSecret(p, envelope, secret, anyone).text).toBe('only this one');
  });

  it('opens no other envelope of the same key', () => {
    const first = seal({ text: 'handed on' });
    const second = seal({ ...first.input, text: 'kept' });
    const { secret } = opening(first);
    const envelope = checkHeader(second.bytes, second.expectation);
    expect(() => openWithSecret(nodePrimitives, envelope, secret, anyone)).toThrow(
      expect.objectContaining({ reason: 'decrypt_failed' }),
    );
  });

  it('trusts no signer that is not listed, and accepts no key of another pair', () => {
    const sealed = seal({ text: 'signed by somebody' });
    const { envelope, secret } = opening(sealed);
    expect(() => openWithSecret(nodePrimitives, envelope, secret, new Set())).toThrow(
      expect.objectContaining({ reason: 'untrusted_signer' }),
    );
    expect(() => envelopeSecret(nodePrimitives, envelope.header, filled(7))).toThrow(
      expect.objectContaining({ reason: 'wrong_recipient' }),
    );
  });
});
