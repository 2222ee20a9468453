import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { expect, test } from 'vitest';
import { NativeKeypair } from '../src/registry/chain/native-keypair.ts';

test("has the same address and signatures as the SDK's key pair", async () => {
  for (const length of [0, 1, 200]) {
    const keypair = new Ed25519Keypair();
    const native = new NativeKeypair(keypair);
    const bytes = new Uint8Array(length).fill(length);
    expect(native.toSuiAddress()).toBe(keypair.toSuiAddress());
    expect(await native.signTransaction(bytes)).toEqual(await keypair.signTransaction(bytes));
  }
});
