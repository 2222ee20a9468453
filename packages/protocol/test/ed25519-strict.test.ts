import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  isStrictEd25519Point,
  isStrictEd25519Signature,
  verifyStrictEd25519,
} from '../src/ed25519-strict.ts';

const smallOrder = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05';
const message = Buffer.from('a message');
const { privateKey, publicKey } = keyPair();
const signature = sign(null, message, privateKey);

function keyPair() {
  const pair = generateKeyPairSync('ed25519');
  const raw = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    privateKey: createPrivateKey(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })),
    publicKey: raw,
  };
}

const openssl = (key: Uint8Array, signed: Uint8Array, bytes: Uint8Array) => {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
  return verify(null, signed, createPublicKey({ key: der, format: 'der', type: 'spki' }), bytes);
};

it('accepts a signature, and rejects another message, key or signature', () => {
  expect(verifyStrictEd25519(publicKey, message, signature, openssl)).toBe(true);
  expect(verifyStrictEd25519(publicKey, Buffer.from('another'), signature, openssl)).toBe(false);
  expect(verifyStrictEd25519(keyPair().publicKey, message, signature, openssl)).toBe(false);
  expect(verifyStrictEd25519(publicKey, message, signature.subarray(1), openssl)).toBe(false);
});

it('evaluates the equation only after the key, R and S passed the strict rules', () => {
  const holds = () => true;
  const altered = (at: number, bytes: string) => {
    const copy = Buffer.from(signature);
    copy.set(Buffer.from(bytes, 'hex'), at);
    return copy;
  };
  const nonCanonical = `ed${'ff'.repeat(30)}7f`;
  const groupOrder = 'edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010';
  expect(verifyStrictEd25519(publicKey, message, signature, holds)).toBe(true);
  for (const bad of [smallOrder, nonCanonical]) {
    expect(verifyStrictEd25519(Buffer.from(bad, 'hex'), message, signature, holds)).toBe(false);
    expect(verifyStrictEd25519(publicKey, message, altered(0, bad), holds)).toBe(false);
  }
  expect(isStrictEd25519Signature(altered(32, groupOrder))).toBe(false);
  expect(isStrictEd25519Signature(altered(32, `ec${groupOrder.slice(2)}`))).toBe(true);
  expect(isStrictEd25519Point(Buffer.from(smallOrder.replace(/05$/, '85'), 'hex'))).toBe(false);
});

it('returns false if the equation throws', () => {
  const throws = () => {
    throw new Error('not a point');
  };
  expect(verifyStrictEd25519(publicKey, message, signature, throws)).toBe(false);
});
