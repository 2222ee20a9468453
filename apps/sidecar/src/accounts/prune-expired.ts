import { accountAbort } from '@memrelay/chain/account-limits';
import { pruneExpired } from '@memrelay/chain/account-transactions';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { awaitTransaction, executeTransaction, refusalOf } from '@memrelay/chain/execute-transaction';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { ApiError } from '@memrelay/protocol/errors';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { Logger } from 'pino';
import type { Sponsoring } from '../sponsor/sponsoring.ts';
import type { UploadWallet } from '../store/upload-wallets.ts';

/** Removes expired delegates from accounts. The contract lets anyone do that. */
export interface Pruner {
  /**
   * Returns false if no delegate has expired by the chain's clock. Paid by the upload wallet with this address, else by the
   * sponsor, else by the server key. Throws `ApiError`: `prune_required` if none of them can pay, `auth_unavailable` if the
   * chain or the sponsor does not respond.
   */
  prune(accountId: string, wallet: string | undefined): Promise<boolean>;
}

export function createPruner(options: {
  chain: ChainClient;
  packageId: string;
  wallets: ReadonlyMap<string, UploadWallet>;
  sponsoring: Sponsoring;
  serverKey: string | undefined;
  log: Logger;
}): Pruner {
  const { chain, packageId, wallets, sponsoring, log } = options;
  const serverKey = options.serverKey === undefined ? undefined : parsePrivateKey(options.serverKey);

  /** Uses a one-time sender, so that the transaction the sponsor returns cannot cost the sender anything. */
  async function paidBySponsor(accountId: string): Promise<void> {
    const sender = new Ed25519Keypair();
    const kind = await chain.call((sui) =>
      pruneExpired(packageId, accountId).build({ client: sui, onlyTransactionKind: true }),
    );
    const { bytes, digest } = await sponsoring.sponsor({
      sender: sender.toSuiAddress(),
      transactionBlockKindBytes: Buffer.from(kind).toString('base64'),
    });
    const { signature } = await sender.signTransaction(Buffer.from(bytes, 'base64'));
    await sponsoring.execute({ digest, signature, sender: sender.toSuiAddress() });
    await awaitTransaction(chain, digest);
  }

  async function pay(accountId: string, wallet: string | undefined): Promise<void> {
    const uploadWallet = wallet === undefined ? undefined : wallets.get(wallet);
    if (uploadWallet) {
      await uploadWallet.run(() =>
        executeTransaction(chain, pruneExpired(packageId, accountId), uploadWallet.signer),
      );
      return;
    }
    try {
      await paidBySponsor(accountId);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'sponsor_unconfigured') throw error;
      if (!serverKey) throw new ApiError('prune_required');
      await executeTransaction(chain, pruneExpired(packageId, accountId), serverKey);
    }
  }

  /** Whether no delegate has expired according to the contract, e.g. because another relayer was faster. */
  async function isNothingExpired(accountId: string): Promise<boolean> {
    const sender = new Ed25519Keypair().toSuiAddress();
    const refusal = await refusalOf(chain, pruneExpired(packageId, accountId), sender);
    return refusal?.abort?.module === 'account' && refusal.abort.code === accountAbort.nothing_expired;
  }

  return {
    async prune(accountId, wallet) {
      try {
        await pay(accountId, wallet);
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'prune_required') throw error;
        const nothingExpired = await isNothingExpired(accountId).catch((cause: unknown) => {
          throw new ApiError('auth_unavailable', { cause });
        });
        if (nothingExpired) return false;
        log.error({ err: error, account_id: accountId }, 'removing an expired delegate failed');
        throw new ApiError(isFinal(error) ? 'prune_required' : 'auth_unavailable', { cause: error });
      }
    },
  };
}

/** True if the payer would be refused again, e.g. for lack of coins. */
function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'sponsor_rejected';
  return error instanceof ChainRejectedError;
}
