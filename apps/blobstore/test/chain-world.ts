import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll } from 'vitest';
import type { BlobStore } from '../src/blob-store.ts';
import type { BlobStoreOptions } from '../src/config/blob-store-options.ts';
import { type LocalnetProcess, startLocalnet } from './localnet-process.ts';
import { startStore } from './running-store.ts';

export interface ChainWorld {
  localnet: LocalnetProcess;
  /** A funded account that is not the publisher's */
  owner: Ed25519Keypair;
  /** A store that registers on the localnet with a new account, and takes up to 32 stores at a time */
  startOnChain(options?: Partial<BlobStoreOptions>): Promise<BlobStore>;
}

/** A localnet for all tests of a file, which awaits it at its top. It stops after the last test. */
export async function chainWorld(): Promise<ChainWorld> {
  const localnet = await startLocalnet();
  afterAll(() => localnet.stop());
  return {
    localnet,
    owner: await localnet.fundedKey(),
    async startOnChain(options = {}) {
      const limits = { publisher: { concurrent: 32, buffered: 32 } };
      return startStore({ chain: await localnet.chainOptions(), limits, ...options });
    },
  };
}
