import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import type { SponsorExecuteResponse, SponsorResponse } from '@memrelay/protocol/sponsor';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { LRUCache } from 'lru-cache';

/** How long a transaction may wait for the sender's signature. */
const pendingMs = 60_000;
const maxPending = 1_000;
const executionTimeoutMs = 60_000;

/**
 * Pays the gas of others from the server's own wallet (`SPONSOR_FALLBACK_TO_DIRECT_SIGN`). Throws the chain's errors.
 * Two transactions that wait at once may have been given the same coin; the second to be executed is then refused and
 * has to be asked for again.
 */
export interface GasWallet {
  sponsor(kind: Uint8Array, sender: string): Promise<SponsorResponse>;
  /** Whether this wallet waits for the signature of a transaction */
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
        // Simulates it, so that one that would fail is refused here and costs nothing
        const bytes = await transaction.build({ client: sui });
        // Of these very bytes: asking the transaction again may build it anew
        const digest = TransactionDataBuilder.getDigestFromBytes(bytes);
        pending.set(digest, bytes);
        return { bytes: Buffer.from(bytes).toString('base64'), digest };
      }, executionTimeoutMs),
    awaits: (digest) => pending.has(digest),
    async execute(digest, signature) {
      const bytes = pending.get(digest);
      if (!bytes) throw new ChainRejectedError('there is no such transaction');
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
