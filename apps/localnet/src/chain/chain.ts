import { toBase58 } from '@mysten/bcs';
import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { ProgrammableTransaction } from '../execution/executor.ts';
import { type ChainMoment, checkExpiration } from '../execution/expiration.ts';
import { RequestRefused } from '../execution/failure.ts';
import { referenceGasPrice, suggestedBudget } from '../execution/gas.ts';
import { blake2b256, typedDigest } from '../execution/hash.ts';
import type { ModuleRegistry } from '../execution/modules.ts';
import { sealObject } from '../execution/object-bcs.ts';
import type { Outcome } from '../execution/outcome.ts';
import { type RunMode, runTransaction } from '../execution/run-transaction.ts';
import type { ChainStore, Commit, StoredTransaction } from '../execution/store.ts';
import { calledFunctions, decodeTransaction, type TransactionData } from '../execution/transaction-data.ts';
import { packageType } from '../execution/type-tags.ts';
import type { ChainObject, Owner } from '../execution/types.ts';
import { clockId, encodeClock } from '../execution/workspace.ts';
import { executedToProto } from '../proto/executed-to-proto.ts';
import type { OpenTransaction } from '../proto/transaction-from-proto.ts';
import { timestampToProto } from '../proto/transaction-to-proto.ts';
import type { PolicyAnswer, PolicyChain } from './policy.ts';
import { resolveTransaction } from './resolve.ts';
import { verifySignatures } from './signatures.ts';

export const systemAddress = `0x${'0'.repeat(64)}`;

/** An object that the system itself creates or updates on chain. */
export interface SystemObject {
  id: string;
  type: string;
  owner: Owner;
  contents: Uint8Array;
}

export interface ChainSettings {
  store: ChainStore;
  modules: ModuleRegistry;
  /** Digest of the genesis checkpoint, 32 bytes; identifies this chain */
  genesisDigest: Uint8Array;
  epochDurationMs: number;
  /** Objects whose contents depend on the epoch */
  epochObjects(epoch: number): SystemObject[];
  /** Milliseconds since 1970 */
  now?: () => number;
}

export interface SimulateOptions {
  /** Whether the node picks gas coins, price and budget */
  chooseGas: boolean;
  /** Whether ownership and gas are checked */
  checks: boolean;
}

/** One chain: runs transactions in order, one checkpoint each, and keeps them. */
export class Chain implements PolicyChain {
  readonly store: ChainStore;
  readonly modules: ModuleRegistry;
  readonly epochDurationMs: number;
  /** Base58 digest of the genesis checkpoint */
  readonly chainIdentifier: string;
  readonly #settings: ChainSettings;
  readonly #listeners = new Set<() => void>();
  #last: StoredTransaction | undefined;

  constructor(settings: ChainSettings) {
    this.#settings = settings;
    this.store = settings.store;
    this.modules = settings.modules;
    this.epochDurationMs = settings.epochDurationMs;
    this.chainIdentifier = toBase58(settings.genesisDigest);
    this.#last = this.store.lastTransaction();
  }

  /** Writes the first checkpoint, unless this chain has one. */
  start(genesis: () => SystemObject[]): void {
    if (this.#last) return;
    this.store.setMeta('genesisMs', this.#now().toString());
    this.store.setMeta('epoch', '1');
    this.writeSystemObjects('genesis', genesis());
  }

  /** The last checkpoint. */
  get tip(): StoredTransaction {
    return this.#last!;
  }

  /** The current time and epoch. First advances the chain to the epoch of the clock. */
  moment(): ChainMoment & { epochStartMs: number } {
    const timestampMs = this.#now();
    const genesisMs = Number(this.store.getMeta('genesisMs'));
    const offset = Number(this.store.getMeta('epochOffset') ?? 0);
    const byClock = Math.floor((timestampMs - genesisMs) / this.epochDurationMs);
    const known = this.#epoch();
    const epoch = Math.max(known, 1 + byClock + offset);
    if (epoch > known) {
      this.writeSystemObjects(`epoch ${epoch}`, this.#settings.epochObjects(epoch), epoch);
      this.store.setMeta('epoch', epoch.toString());
    }
    const epochStartMs = genesisMs + byClock * this.epochDurationMs;
    return { epoch, timestampMs, chainIdentifier: this.chainIdentifier, epochStartMs };
  }

  /** Skips whole epochs, for tests of expiry. Returns the new epoch. */
  advanceEpoch(count: number): number {
    const offset = Number(this.store.getMeta('epochOffset') ?? 0);
    this.store.setMeta('epochOffset', (offset + count).toString());
    return this.moment().epoch;
  }

  /**
   * Executes a signed transaction. It is on disk when the promise resolves. Repeating a transaction returns the
   * same result. Throws `RequestRefused` if it cannot be executed; a transaction that fails during execution is a
   * normal result.
   */
  async execute(bytes: Uint8Array, signatures: readonly string[]): Promise<GrpcTypes.ExecutedTransaction> {
    const known = this.#known(bytes);
    if (known) return known;
    const data = decodeTransaction(bytes);
    await verifySignatures(data, bytes, signatures);
    return this.#known(bytes) ?? this.#executeVerified(data, signatures);
  }

  #known(bytes: Uint8Array): GrpcTypes.ExecutedTransaction | undefined {
    const stored = this.store.transaction(typedDigest('TransactionData', bytes));
    return stored && GrpcTypes.ExecutedTransaction.fromBinary(stored.executed);
  }

  #executeVerified(data: TransactionData, signatures: readonly string[]): GrpcTypes.ExecutedTransaction {
    const now = this.moment();
    checkExpiration(data, now);
    const outcome = this.#run(data, 'charged', now);
    const seq = this.tip.seq + 1;
    const executed = executedToProto(outcome, { signatures, checkpoint: seq });
    this.#commit({
      transaction: {
        ...this.#place(outcome.digest),
        sender: data.sender,
        calls: calledFunctions(data.program),
        timestampMs: now.timestampMs,
        epoch: now.epoch,
        executed: GrpcTypes.ExecutedTransaction.toBinary(executed),
      },
      written: [
        ...outcome.changes.flatMap(({ after }) => after ?? []),
        ...this.#clock(now.timestampMs, outcome.digest),
      ],
      deleted: outcome.changes.filter(({ after }) => !after).map(({ id }) => id),
      events: outcome.events,
    });
    return executed;
  }

  /** Simulates a transaction. Throws `RequestRefused` like `execute`. */
  simulate(transaction: OpenTransaction | Uint8Array, options: SimulateOptions): Outcome {
    const now = this.moment();
    const open = transaction instanceof Uint8Array ? openOf(decodeTransaction(transaction)) : transaction;
    const data = resolveTransaction(this.store, this.modules, open, options.chooseGas);
    if (!options.checks) return this.#run(data, 'unchecked', now);
    return this.#run(data, data.gasData.payment.length > 0 ? 'charged' : 'mocked', now);
  }

  async evaluate(ptbBytes: Uint8Array, sender: string): Promise<PolicyAnswer> {
    let program: ProgrammableTransaction;
    try {
      program = bcs.ProgrammableTransaction.parse(ptbBytes);
    } catch {
      return { ok: false, reason: 'not a programmable transaction' };
    }
    const gasData = {
      owner: sender,
      payment: [],
      price: referenceGasPrice.toString(),
      budget: suggestedBudget.toString(),
    };
    const data: TransactionData = { sender, program, gasData, expiration: { $kind: 'None', None: true } };
    try {
      const { failure } = this.#run(data, 'mocked', this.moment());
      if (!failure) return { ok: true };
      if (failure.detail.kind !== 'MoveAbort') return { ok: false, reason: failure.message };
      const { code, module, functionName } = failure.detail;
      return { ok: false, abort: { code, module, functionName }, reason: failure.message };
    } catch (error) {
      if (error instanceof RequestRefused) return { ok: false, reason: error.message };
      throw error;
    }
  }

  originalPackageId(packageId: string): string | undefined {
    return this.store.object(packageId)?.type === packageType ? packageId : undefined;
  }

  /**
   * Writes objects on behalf of the system, in a separate checkpoint; those that already exist with the same contents
   * are unchanged.
   */
  writeSystemObjects(label: string, objects: readonly SystemObject[], epoch = this.#epoch()): void {
    const seq = this.#last ? this.#last.seq + 1 : 0;
    const digest = typedDigest('SystemTransaction', Buffer.from(`${this.chainIdentifier} ${seq} ${label}`));
    const written = objects.flatMap((object) => this.#rewritten(object, digest));
    if (written.length === 0) return;
    const timestampMs = this.#now();
    const executed = GrpcTypes.ExecutedTransaction.create({
      digest,
      transaction: { digest, sender: systemAddress },
      effects: { status: { success: true }, epoch: BigInt(epoch), transactionDigest: digest },
      checkpoint: BigInt(seq),
      timestamp: timestampToProto(timestampMs),
    });
    this.#commit({
      transaction: {
        ...this.#place(digest),
        sender: systemAddress,
        calls: [],
        timestampMs,
        epoch,
        executed: GrpcTypes.ExecutedTransaction.toBinary(executed),
      },
      written,
      deleted: [],
      events: [],
    });
  }

  /** Calls `listener` after every checkpoint. Returns a function that removes it. */
  onCheckpoint(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #run(data: TransactionData, mode: RunMode, now: ChainMoment): Outcome {
    const { store, modules } = this;
    return runTransaction({ store, modules, epoch: now.epoch, timestampMs: now.timestampMs }, data, mode);
  }

  #rewritten(object: SystemObject, digest: string): ChainObject[] {
    const before = this.store.object(object.id);
    if (before && Buffer.compare(before.contents, object.contents) === 0) return [];
    // A package is always at version 1: Seal accepts no other.
    const version = before ? before.version + 1n : 1n;
    return [
      sealObject(
        { ...object, version, previousTransaction: digest },
        this.modules.hasPublicTransfer(object.type),
      ),
    ];
  }

  /** The clock object shows the time of the latest transaction to later readers. */
  #clock(timestampMs: number, digest: string): ChainObject[] {
    const before = this.store.object(clockId);
    if (!before) return [];
    const contents = encodeClock(BigInt(timestampMs));
    return [
      sealObject({ ...before, contents, version: before.version + 1n, previousTransaction: digest }, false),
    ];
  }

  #place(digest: string): Pick<StoredTransaction, 'seq' | 'digest' | 'checkpointDigest'> {
    if (!this.#last) return { seq: 0, digest, checkpointDigest: this.chainIdentifier };
    const seq = this.#last.seq + 1;
    const checkpointDigest = toBase58(
      blake2b256(Buffer.from(`${this.#last.checkpointDigest} ${seq} ${digest}`)),
    );
    return { seq, digest, checkpointDigest };
  }

  #commit(commit: Commit): void {
    this.store.commit(commit);
    this.#last = commit.transaction;
    for (const listener of this.#listeners) listener();
  }

  #epoch(): number {
    return Number(this.store.getMeta('epoch'));
  }

  /** Never goes back, even if the machine's clock does. */
  #now(): number {
    return Math.max((this.#settings.now ?? Date.now)(), this.#last?.timestampMs ?? 0);
  }
}

function openOf(data: TransactionData): OpenTransaction {
  const { owner, payment, price, budget } = data.gasData;
  return {
    sender: data.sender,
    inputs: data.program.inputs,
    commands: data.program.commands,
    gas: { owner, payment, price, budget },
    expiration: data.expiration,
  };
}
