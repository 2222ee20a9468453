import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import type { SponsorExecuteResponse, SponsorResponse } from '@memrelay/protocol/sponsor';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { LRUCache } from 'lru-cache';

/** How long a transaction may wait for the sender's signature, in milliseconds. */
const pendingMs = 60_000;
const maxPending = 1_000;
const executionTimeoutMs = 60_000;

/**
 * Pays users' gas from the server's own wallet (`SPONSOR_FALLBACK_TO_DIRECT_SIGN`). Throws the chain's errors. Two pending
 * transactions may use the same coin; the second one to be executed is then refused and must be requested again.
 */
export interface GasWallet {
  sponsor(kind: Uint8Array, sender: string): Promise<SponsorResponse>;
  /** Whether this wallet is waiting for the signature of this transaction */
  awaits(digest: string): boolean;
  execute(digest: string, signature: string): Promise<SponsorExecuteResponse>;
}

export function createGasWallet(chain: ChainClient, privateKey: string): GasWallet {
  const signer = parsePrivateKey(privateKey);
  const pending = new LRUCache<string, Uint8Array>({ max: maxPending, ttl: pendingMs });
  return {
    sponsor: (kind, sender) =>
      chain.call(async (sui) => {
        const transaction = Transaction.fromKind(kind);
        transaction.setSender(sender);
        transaction.setGasOwner(signer.toSuiAddress());
        // Simulates the transaction, so that one that would fail is refused at no cost
        const bytes = await transaction.build({ client: sui });
        // Computed from these bytes: the transaction object might rebuild itself
        const digest = TransactionDataBuilder.getDigestFromBytes(bytes);
        pending.set(digest, bytes);
        return { bytes: Buffer.from(bytes).toString('base64'), digest };
      }, executionTimeoutMs),
    awaits: (digest) => pending.has(digest),
    async execute(digest, signature) {
      const bytes = pending.get(digest);
      if (!bytes) throw new ChainRejectedError('the transaction does not exist or has expired');
      const own = await signer.signTransaction(bytes);
      return chain.call(async (sui, signal) => {
        const result = await sui.core.executeTransaction({
          transaction: bytes,
          signatures: [signature, own.signature],
          signal,
        });
        pending.delete(digest);
        await sui.core.waitForTransaction({ result, signal });
        if (result.FailedTransaction) throw new ChainRejectedError('the transaction failed');
        return { digest };
      }, executionTimeoutMs);
    },
  };
}
