import { type Account, type DelegateKey, fullScope, type Scope } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import { findAccountOf } from '@memrelay/chain/account-registry';
import * as transactions from '@memrelay/chain/account-transactions';
import { deleteBlobs, extendBlobs, maxBlobsPerTransaction } from '@memrelay/chain/blob-transactions';
import {
  awaitTransaction,
  createdAccountId,
  type ExecutedTransaction,
  executeTransaction,
  refusalOf,
} from '@memrelay/chain/execute-transaction';
import { type OwnedBlob, ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalCoins } from '@memrelay/chain/wal-coins';
import { readWalrusTariff, type WalrusTariff } from '@memrelay/chain/walrus-prices';
import type { Signer } from '@mysten/sui/cryptography';
import type { Transaction } from '@mysten/sui/transactions';
import { chunksOf } from '../chunks.ts';
import { MemRelayError } from '../wire/errors.ts';
import { type AccountNetwork, readNetwork } from './network.ts';
import { createSponsorClient, type SponsorClient } from './sponsor.ts';

export interface AccountOwnerOptions {
  /** Base URL of a relayer, which reports the chain and the package, and may sponsor */
  serverUrl: string;
  /** The owner's wallet */
  signer: Signer;
  /** The trusted package; a relayer with a different package is rejected */
  packageId?: string;
  /** Whether to ask the relayer's sponsor to pay the gas; default true */
  sponsored?: boolean;
  fetch?: typeof globalThis.fetch;
}

/** A transaction that took effect. */
export interface Done {
  digest: string;
  paidBy: 'sponsor' | 'wallet';
}

export type { Account, DelegateKey, OwnedBlob, Scope };

/** The first delegate of an account. */
export interface FirstDelegate extends transactions.FirstDelegate {
  /** Its signature over `delegateProofMessage(accountId)` (`@memrelay/chain/delegate-key`) */
  prove?: (accountId: string) => Promise<Uint8Array>;
}

/** Failures of the sponsor after which the owner can pay instead. A transaction it executed is never sent again. */
const payInstead: ReadonlySet<string> = new Set([
  'network_error',
  'rate_limited',
  'sponsor_failed',
  'sponsor_rejected',
  'sponsor_unavailable',
  'sponsor_unconfigured',
  'unsponsorable_transaction',
  'not_found',
]);

/**
 * The on-chain operations of an account's owner, signed by the owner's wallet and sponsored if the relayer offers it.
 *
 * Methods reject with `MemRelayError`, `ChainRejectedError` (with the abort of the contract) or
 * `ChainUnavailableError`; after the last a transaction may still take effect.
 */
export class AccountOwner {
  readonly network: AccountNetwork;
  readonly #signer: Signer;
  readonly #sponsor: SponsorClient | undefined;

  private constructor(network: AccountNetwork, signer: Signer, sponsor: SponsorClient | undefined) {
    this.network = network;
    this.#signer = signer;
    this.#sponsor = sponsor;
  }

  /** Reads `/config` of the relayer. Throws `network_error`, `invalid_response` and `package_mismatch`. */
  static async connect(options: AccountOwnerOptions): Promise<AccountOwner> {
    const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    const serverUrl = options.serverUrl.replace(/\/+$/, '');
    const network = await readNetwork(serverUrl, fetch, options.packageId);
    const sponsor = options.sponsored === false ? undefined : createSponsorClient(serverUrl, fetch);
    return new AccountOwner(network, options.signer, sponsor);
  }

  /** The wallet's address. */
  get address(): string {
    return this.#signer.toSuiAddress();
  }

  /** Id of the account that this wallet created, if any. Accounts that it accepted cannot be looked up this way. */
  findAccount(): Promise<string | undefined> {
    return findAccountOf(this.network.chain, this.network.registryId, this.address);
  }

  /** The account on chain. Throws `invalid_argument` if there is none with this id. */
  async readAccount(accountId: string): Promise<Account> {
    const found = await readAccount(this.network.chain, this.network.packageId, accountId);
    if (found) return found.account;
    throw new MemRelayError('invalid_argument', `${accountId} is not an account of this network's package.`);
  }

  /**
   * Creates this wallet's account, optionally with a first delegate. A delegate that can `prove` its consent is added by a
   * second transaction, because the proof covers the account's id. If that fails, the account exists without the delegate.
   */
  async createAccount(delegate?: FirstDelegate): Promise<Done & { accountId: string }> {
    const { packageId, registryId } = this.network;
    const { prove, ...first } = delegate ?? {};
    const unproven = delegate && !prove ? (first as transactions.FirstDelegate) : undefined;
    const { executed, done } = await this.#run(transactions.createAccount(packageId, registryId, unproven));
    const accountId = createdAccountId(executed, packageId);
    if (!delegate || !prove) return { ...done, accountId };
    return {
      ...(await this.addDelegate(accountId, { ...delegate, proof: await prove(accountId) })),
      accountId,
    };
  }

  /**
   * Adds a delegate with its proof of consent (its signature over `delegateProofMessage(accountId)`), with full rights or a
   * scope. A key without a proof works only in requests that name the account as soon as another account lists it too.
   */
  addDelegate(
    accountId: string,
    delegate: transactions.NewDelegate & { scope?: Scope; proof?: Uint8Array },
  ): Promise<Done> {
    const { packageId } = this.network;
    const { scope = fullScope, proof } = delegate;
    if (delegate.scope && !proof)
      throw new MemRelayError('invalid_argument', 'A delegate with a scope needs its `proof`.');
    return this.run(
      proof
        ? transactions.addDelegateKeyScoped(packageId, accountId, { ...delegate, scope, proof })
        : transactions.addDelegateKey(packageId, accountId, delegate),
    );
  }

  /** Adds someone else's key with a scope but without a proof of consent; starts a new key epoch. */
  addUnprovenDelegate(
    accountId: string,
    delegate: transactions.NewDelegate & { scope: Scope },
  ): Promise<Done> {
    return this.run(transactions.addDelegateKeyUnproven(this.network.packageId, accountId, delegate));
  }

  /** Replaces a delegate's scope. Narrowing it starts a new key epoch. */
  setScope(accountId: string, delegateAddress: string, scope: Scope): Promise<Done> {
    return this.run(transactions.setDelegateScope(this.network.packageId, accountId, delegateAddress, scope));
  }

  /** Revokes a delegate and starts a new key epoch. `publicKey` has 64 hex digits. */
  removeDelegate(accountId: string, publicKey: string): Promise<Done> {
    return this.run(transactions.removeDelegateKey(this.network.packageId, accountId, publicKey));
  }

  /** Removes expired delegates and starts a new key epoch. */
  pruneExpired(accountId: string): Promise<Done> {
    return this.run(transactions.pruneExpired(this.network.packageId, accountId));
  }

  /** Starts a new key epoch: keys that were given out before cannot read memories stored from now on. */
  rotateKeyEpoch(accountId: string): Promise<Done> {
    return this.run(transactions.rotateKeyEpoch(this.network.packageId, accountId));
  }

  deactivate(accountId: string): Promise<Done> {
    return this.run(transactions.deactivateAccount(this.network.packageId, accountId));
  }

  reactivate(accountId: string): Promise<Done> {
    return this.run(transactions.reactivateAccount(this.network.packageId, accountId));
  }

  /** Offers the account to another wallet; nothing changes until that wallet accepts. */
  offerOwner(accountId: string, newOwner: string): Promise<Done> {
    return this.run(transactions.offerOwner(this.network.packageId, accountId, newOwner));
  }

  cancelOffer(accountId: string): Promise<Done> {
    return this.run(transactions.cancelOffer(this.network.packageId, accountId));
  }

  /** Accepts an account that was offered to this wallet; it then has no delegates. */
  acceptOwner(accountId: string): Promise<Done> {
    return this.run(transactions.acceptOwner(this.network.packageId, accountId));
  }

  /** The X25519 key that new data keys are also wrapped for; empty clears it. */
  setRecoveryKey(accountId: string, recoveryPk: Uint8Array): Promise<Done> {
    return this.run(transactions.setRecoveryKey(this.network.packageId, accountId, recoveryPk));
  }

  /** The blob objects of this wallet, page by page. */
  async *blobs(): AsyncGenerator<OwnedBlob> {
    yield* ownedBlobs(this.network.chain, await this.network.walrus(), this.address);
  }

  /**
   * The current storage epoch and prices. A blob whose `endEpoch` is not later than `epoch` cannot be extended, and none
   * beyond `epoch + maxEpochsAhead`.
   */
  async tariff(): Promise<WalrusTariff> {
    const { systemObjectId } = await this.network.walrus();
    return readWalrusTariff(this.network.chain, systemObjectId);
  }

  /** Deletes blobs, up to 30 per transaction; yields the number deleted so far after each transaction. */
  async *deleteBlobs(objectIds: readonly string[]): AsyncGenerator<Done & { count: number }> {
    const walrus = await this.network.walrus();
    for (const part of chunksOf(objectIds, maxBlobsPerTransaction))
      yield { ...(await this.run(deleteBlobs(walrus, part, this.address))), count: part.length };
  }

  /**
   * Extends blobs by a number of epochs, up to 30 per transaction, paid from this wallet's largest WAL coin. Throws
   * `invalid_argument` if it has none.
   */
  async *extendBlobs(objectIds: readonly string[], epochs: number): AsyncGenerator<Done & { count: number }> {
    const walrus = await this.network.walrus();
    const [coin] = await readWalCoins(this.network.chain, this.address);
    if (!coin || coin.value === 0n)
      throw new MemRelayError('invalid_argument', `${this.address} has no WAL to pay for storage.`);
    for (const part of chunksOf(objectIds, maxBlobsPerTransaction))
      yield { ...(await this.run(extendBlobs(walrus, part, epochs, coin.objectId))), count: part.length };
  }

  /** Executes any transaction as this wallet, sponsored if possible. */
  async run(transaction: Transaction): Promise<Done> {
    return (await this.#run(transaction)).done;
  }

  async #run(transaction: Transaction): Promise<{ executed: ExecutedTransaction; done: Done }> {
    const { chain } = this.network;
    const sponsored = await this.#sponsored(transaction);
    if (sponsored) {
      await this.#sponsor!.execute(sponsored, this.#signer);
      const executed = await awaitTransaction(chain, sponsored.digest);
      return { executed, done: { digest: executed.digest, paidBy: 'sponsor' } };
    }
    const executed = await executeTransaction(chain, transaction, this.#signer);
    return { executed, done: { digest: executed.digest, paidBy: 'wallet' } };
  }

  /** The sponsored form, or undefined if the wallet has to pay. */
  async #sponsored(transaction: Transaction): Promise<{ bytes: Uint8Array; digest: string } | undefined> {
    if (!this.#sponsor) return undefined;
    const kind = await this.network.chain.call((sui) =>
      transaction.build({ client: sui, onlyTransactionKind: true }),
    );
    try {
      return await this.#sponsor.sponsor(kind, this.address);
    } catch (error) {
      if (!(error instanceof MemRelayError) || !payInstead.has(error.code)) throw error;
      // Do not pay for a transaction that the contract would refuse again
      const refusal =
        error.code === 'sponsor_rejected' && (await refusalOf(this.network.chain, transaction, this.address));
      if (refusal) throw refusal;
      return undefined;
    }
  }
}
