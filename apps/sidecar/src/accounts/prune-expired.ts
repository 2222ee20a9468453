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

/** Takes expired delegates out of accounts, which the contract lets anyone do. */
export interface Pruner {
  /**
   * Returns false when by the chain's clock nobody has expired. Paid by the upload wallet with this address, else by the
   * sponsor, else by the server key. Throws `ApiError`: `prune_required` when none of them can, `auth_unavailable` when
   * the chain or the sponsor does not answer.
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

  /** For a sender made up for this one transaction: what the sponsor hands out to be signed can cost it nothing. */
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

  /** Whether the contract finds nobody expired; also when another relayer was faster. */
  async function nobodyExpired(accountId: string): Promise<boolean> {
    const anyone = new Ed25519Keypair().toSuiAddress();
    const refusal = await refusalOf(chain, pruneExpired(packageId, accountId), anyone);
    return refusal?.abort?.module === 'account' && refusal.abort.code === accountAbort.nothing_expired;
  }

  return {
    async prune(accountId, wallet) {
      try {
        await pay(accountId, wallet);
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'prune_required') throw error;
        const nobody = await nobodyExpired(accountId).catch((cause: unknown) => {
          throw new ApiError('auth_unavailable', { cause });
        });
        if (nobody) return false;
        log.error({ err: error, account_id: accountId }, 'an expired delegate could not be taken out');
        throw new ApiError(isFinal(error) ? 'prune_required' : 'auth_unavailable', { cause: error });
      }
    },
  };
}

/** Whoever was to pay would be refused again, e.g. for want of coins. */
function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 'sponsor_rejected';
  return error instanceof ChainRejectedError;
}
