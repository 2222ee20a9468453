import { randomInt } from 'node:crypto';
import { normalizeAddress } from '@memrelay/protocol/address';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { LRUCache } from 'lru-cache';
import type { Chain } from '../chain/chain.ts';
import { coinBalance } from '../execution/coin.ts';
import type { ProgrammableTransaction } from '../execution/executor.ts';
import { RequestRefused } from '../execution/failure.ts';
import { referenceGasPrice, suggestedBudget } from '../execution/gas.ts';
import { typedDigest } from '../execution/hash.ts';
import { calledFunctions, encodeTransaction, type TransactionData } from '../execution/transaction-data.ts';
import { coinOf, suiType } from '../execution/type-tags.ts';
import type { Faucet } from '../genesis/faucet.ts';
import { SponsorError } from './sponsor-error.ts';

/** How long a sponsored transaction can be executed, in milliseconds. Enoki has such a limit too. */
const validMs = 60_000;
const maxPending = 10_000;

export interface SponsorRequest {
  kind: Uint8Array;
  sender: string;
  /** Allowed recipients of transfers, in addition to the sender */
  allowedAddresses: readonly string[];
  /** Allowed Move functions; any if undefined */
  allowedTargets: readonly string[] | undefined;
}

export interface Sponsored {
  bytes: Uint8Array;
  digest: string;
}

interface Pending {
  bytes: Uint8Array;
  expiresAtMs: number;
}

/** Pays gas for other accounts, like Enoki on the public networks. */
export class Sponsor {
  readonly #chain: Chain;
  readonly #faucet: Faucet;
  readonly #keypair: Ed25519Keypair;
  readonly #pending = new LRUCache<string, Pending>({ max: maxPending });
  readonly #now: () => number;

  constructor(chain: Chain, faucet: Faucet, secretKey: Uint8Array, now: () => number = Date.now) {
    this.#chain = chain;
    this.#faucet = faucet;
    this.#keypair = Ed25519Keypair.fromSecretKey(secretKey);
    this.#now = now;
  }

  get address(): string {
    return this.#keypair.toSuiAddress();
  }

  /**
   * Creates a transaction of this kind whose gas the sponsor pays. Throws `SponsorError`, also if a dry run fails.
   */
  async sponsor(request: SponsorRequest): Promise<Sponsored> {
    const program = parseKind(request.kind);
    checkAllowed(program, request);
    await this.#haveGas();
    const bytes = encodeTransaction(this.#transaction(program, request.sender));
    this.#dryRun(bytes);
    const digest = typedDigest('TransactionData', bytes);
    this.#pending.set(digest, { bytes, expiresAtMs: this.#now() + validMs });
    return { bytes, digest };
  }

  /** Executes a sponsored transaction with the sender's signature, only once. Throws `SponsorError`. */
  async execute(digest: string, signature: string): Promise<string> {
    const pending = this.#pending.get(digest);
    if (!pending) throw new SponsorError(404, 'not_found', 'no sponsored transaction has this digest');
    if (pending.expiresAtMs < this.#now()) {
      this.#pending.delete(digest);
      throw new SponsorError(400, 'expired', 'The sponsored transaction has expired');
    }
    const own = (await this.#keypair.signTransaction(pending.bytes)).signature;
    const executed = await this.#chain.execute(pending.bytes, [signature, own]).catch((error: unknown) => {
      throw refusalOf(error, 'invalid_signature');
    });
    this.#pending.delete(digest);
    if (!executed.effects?.status?.success)
      throw new SponsorError(400, 'execution_failed', executed.effects?.status?.error?.description ?? '');
    return digest;
  }

  /** Has no gas coins, so that concurrent transactions do not wait for each other's coins. */
  #transaction(program: ProgrammableTransaction, sender: string): TransactionData {
    const { epoch, chainIdentifier } = this.#chain.moment();
    return {
      sender,
      program,
      gasData: {
        owner: this.address,
        payment: [],
        price: referenceGasPrice.toString(),
        budget: suggestedBudget.toString(),
      },
      expiration: {
        $kind: 'ValidDuring',
        ValidDuring: {
          minEpoch: epoch.toString(),
          maxEpoch: (epoch + 1).toString(),
          minTimestamp: null,
          maxTimestamp: null,
          chain: chainIdentifier,
          nonce: randomInt(2 ** 32),
        },
      },
    };
  }

  #dryRun(bytes: Uint8Array): void {
    try {
      const { failure } = this.#chain.simulate(bytes, { chooseGas: false, checks: true });
      if (failure)
        throw new SponsorError(
          400,
          'dry_run_failed',
          `Dry run failed: ${JSON.stringify(failure.detail, asText)}`,
        );
    } catch (error) {
      throw refusalOf(error, 'dry_run_failed');
    }
  }

  async #haveGas(): Promise<void> {
    const [coin] = this.#chain.store.ownedBy(this.address, coinOf(suiType), ['', ''], 1);
    if (!coin || coinBalance(coin) < suggestedBudget * 100n) await this.#faucet.give(this.address);
  }
}

function parseKind(kind: Uint8Array): ProgrammableTransaction {
  try {
    const { ProgrammableTransaction: program } = bcs.TransactionKind.parse(kind);
    if (program) return program;
  } catch {
    // falls through
  }
  throw new SponsorError(400, 'invalid_transaction', 'transactionBlockKindBytes is unreadable');
}

function checkAllowed(program: ProgrammableTransaction, request: SponsorRequest): void {
  const refuse = (what: string): SponsorError => new SponsorError(400, 'not_allowed', what);
  const { allowedTargets } = request;
  if (allowedTargets) {
    const allowed = new Set(allowedTargets.map(normalizeTarget));
    const other = calledFunctions(program).find((target) => !allowed.has(normalizeTarget(target)));
    if (other) throw refuse(`the Move call ${other} is not in allowedMoveCallTargets`);
  }
  if (JSON.stringify(program.commands).includes('"GasCoin"'))
    throw refuse('a sponsored transaction must not use the gas coin');
  const recipients = new Set(
    [request.sender, ...request.allowedAddresses].map((address) => normalizeAddress(address)),
  );
  for (const command of program.commands) {
    if (command.$kind !== 'TransferObjects') continue;
    const { address } = command.TransferObjects;
    const input = address.$kind === 'Input' ? program.inputs[address.Input] : undefined;
    const bytes = input?.$kind === 'Pure' ? Buffer.from(input.Pure.bytes, 'base64') : undefined;
    if (!bytes || !recipients.has(`0x${bytes.toString('hex')}`))
      throw refuse('the recipient of a transfer is not in allowedAddresses');
  }
}

function normalizeTarget(target: string): string {
  const [packageId = '', ...rest] = target.split('::');
  return [normalizeAddress(packageId), ...rest].join('::');
}

/** A rejection by the chain is the caller's mistake; other errors are passed on. */
function refusalOf(error: unknown, code: string): unknown {
  return error instanceof RequestRefused ? new SponsorError(400, code, error.message) : error;
}

/** u64 values of an abort are bigints. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
