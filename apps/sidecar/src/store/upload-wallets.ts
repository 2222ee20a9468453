import { createHmac } from 'node:crypto';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import pLimit from 'p-limit';

/** A wallet that pays for uploads. */
export interface UploadWallet {
  signer: Ed25519Keypair;
  address: string;
  /** Runs one transaction at a time: two with the same coins would block each other */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** 32 bytes for the relay, derived from the job and the blob, so that an upload can continue after a crash */
  nonceFor(jobId: string, blobId: string): Uint8Array;
}

/** The wallets of the private keys, by address. Throws `KeyFormatError`. */
export function uploadWallets(privateKeys: readonly string[]): ReadonlyMap<string, UploadWallet> {
  return new Map(
    privateKeys.map((key) => {
      const signer = parsePrivateKey(key);
      const address = signer.toSuiAddress();
      const turn = pLimit(1);
      const wallet: UploadWallet = {
        signer,
        address,
        run: (work) => turn(work),
        nonceFor: (jobId, blobId) =>
          createHmac('sha256', signer.getSecretKey()).update(`relay-nonce\0${jobId}\0${blobId}`).digest(),
      };
      return [address, wallet];
    }),
  );
}
