import { toHex } from '@memrelay/protocol/bytes';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { describe, expect, it } from 'vitest';
import { delegateAddress } from '../src/delegate-key.ts';
import { addressOfPrivateKey, KeyFormatError, parsePrivateKey } from '../src/key-file.ts';

const seed = Uint8Array.from({ length: 32 }, (_, index) => index);
const pair = Ed25519Keypair.fromSecretKey(seed);

describe('a private key', () => {
  it.each([pair.getSecretKey(), toHex(seed), toHex(seed).toUpperCase(), `${pair.getSecretKey()}\n`])(
    'is read in both formats (%#)',
    (text) => {
      expect(parsePrivateKey(text).getSecretKey()).toBe(pair.getSecretKey());
      expect(addressOfPrivateKey(text)).toBe(delegateAddress(pair.getPublicKey().toRawBytes()));
    },
  );

  it.each([
    '',
    'ab'.repeat(31),
    `0x${'ab'.repeat(32)}`,
    `${pair.getSecretKey().slice(0, -1)}q`,
    `suiprivkey1${'q'.repeat(40)}`,
  ])('in an unknown format is rejected without being repeated (%#)', (text) => {
    const error = caught(() => parsePrivateKey(text));
    expect(error).toBeInstanceOf(KeyFormatError);
    expect(error.cause).toBeUndefined();
    if (text !== '') expect(error.message).not.toContain(text.slice(0, 20));
  });

  it('of another scheme is rejected', () => {
    expect(caught(() => parsePrivateKey(Secp256k1Keypair.generate().getSecretKey())).message).toContain(
      'Ed25519',
    );
  });
});

function caught(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
