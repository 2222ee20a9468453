import { fromBase58 } from '@mysten/bcs';
import { encodeCoin } from './coin.ts';
import { executeProgram } from './executor.ts';
import { ExecutionFailure, grpcStatus, RequestRefused } from './failure.ts';
import { type GasPlan, planGas, reserveGas, settleGas, transactionCost } from './gas.ts';
import { typedDigest } from './hash.ts';
import { type CheckedInputs, checkInputs } from './inputs.ts';
import { checkLimits } from './limits.ts';
import type { ModuleRegistry } from './modules.ts';
import { collectBalanceChanges, collectChanges, describeReturned, type Outcome } from './outcome.ts';
import { prepareCalls } from './prepare-calls.ts';
import type { ChainStore } from './store.ts';
import { encodeTransaction, type TransactionData } from './transaction-data.ts';
import { coinOf, suiType } from './type-tags.ts';
import { Workspace } from './workspace.ts';

export interface RunEnvironment {
  store: ChainStore;
  modules: ModuleRegistry;
  epoch: number;
  timestampMs: number;
}

/**
 * `charged`: a real transaction. `mocked`: the same, but gas needs no coin (a dry run without a payment).
 * `unchecked`: ownership is not checked either (resolving a transaction kind).
 */
export type RunMode = 'charged' | 'mocked' | 'unchecked';

/** A coin that exists only in a dry run, with enough balance for any transaction. */
const mockedGasCoin = `0x${'9'.repeat(64)}`;
const mockedBalance = 1n << 62n;

/**
 * Runs a transaction against the current state and returns its outcome; nothing is written. A Move abort or a failing
 * command is an outcome with `failure` set. Throws `RequestRefused` for a transaction that cannot be executed at all.
 */
export function runTransaction(environment: RunEnvironment, data: TransactionData, mode: RunMode): Outcome {
  const { store, modules } = environment;
  const bytes = encodeChecked(data);
  const digest = typedDigest('TransactionData', bytes);
  const inputs = checkInputs(store, data, mode !== 'unchecked');
  const plan =
    mode === 'charged'
      ? planGas(store, data, inputs.mutable.slice(0, data.gasData.payment.length))
      : undefined;
  const attempt = attemptProgram(environment, data, digest, inputs, plan);
  const touched = [...inputs.mutable];
  const version = nextVersion(attempt.workspace, inputs);
  const changes = collectChanges(attempt.workspace, touched, version, digest, modules);
  return {
    digest,
    data,
    bytes,
    failure: attempt.failure,
    gas: { computation: plan?.cost ?? transactionCost(BigInt(data.gasData.price)) },
    gasObject: plan?.coin,
    epoch: environment.epoch,
    timestampMs: environment.timestampMs,
    lamportVersion: version,
    changes,
    readShared: inputs.readShared,
    events: attempt.failure ? [] : attempt.workspace.events,
    balanceChanges: collectBalanceChanges(changes),
    returned: attempt.returned,
  };
}

/**
 * Encodes the transaction. A client may have sent its parts in structured form, so impossible numbers and types are
 * detected here.
 */
function encodeChecked(data: TransactionData): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = encodeTransaction(data);
  } catch {
    throw new RequestRefused(grpcStatus.invalidArgument, 'a part of the transaction cannot be encoded');
  }
  checkLimits(data, bytes);
  return bytes;
}

interface Attempt {
  workspace: Workspace;
  failure: ExecutionFailure | undefined;
  returned: Outcome['returned'];
}

function attemptProgram(
  environment: RunEnvironment,
  data: TransactionData,
  digest: string,
  inputs: CheckedInputs,
  plan: GasPlan | undefined,
): Attempt {
  const nowMs = BigInt(environment.timestampMs);
  const fresh = () => {
    const workspace = new Workspace(environment.store, fromBase58(digest), nowMs);
    if (plan) reserveGas(workspace, plan);
    return workspace;
  };
  const workspace = fresh();
  let gasCoin = plan?.usable ? plan.coin : undefined;
  if (!plan) {
    gasCoin = mockedGasCoin;
    mockGasCoin(workspace, data.gasData.owner);
  }
  prepareCalls(data.program, environment.modules);
  try {
    const outputs = executeProgram(data.program, {
      sender: data.sender,
      epoch: BigInt(environment.epoch),
      nowMs,
      modules: environment.modules,
      workspace,
      gasCoin,
      mutableShared: inputs.mutableShared,
    });
    if (!plan) workspace.objects.delete(mockedGasCoin);
    const returned = describeReturned(outputs, workspace);
    if (plan) settleGas(workspace, plan);
    return { workspace, failure: undefined, returned };
  } catch (error) {
    if (!(error instanceof ExecutionFailure)) throw error;
    // A failed transaction changes nothing except for its gas payment.
    const paid = fresh();
    if (plan) settleGas(paid, plan);
    return { workspace: paid, failure: error, returned: [] };
  }
}

function mockGasCoin(workspace: Workspace, owner: string): void {
  const coin = workspace.create(mockedGasCoin, coinOf(suiType), encodeCoin(mockedGasCoin, mockedBalance));
  coin.owner = { kind: 'address', address: owner };
}

/** Sui's Lamport version: one above the versions of all objects that the transaction may have changed. */
function nextVersion(workspace: Workspace, inputs: CheckedInputs): bigint {
  const versions = [
    ...inputs.mutable.map(({ version }) => version),
    ...inputs.readShared.map(({ version }) => version),
    ...[...workspace.objects.values()].map(({ before }) => before?.version ?? 0n),
  ];
  return versions.reduce((max, version) => (version > max ? version : max), 0n) + 1n;
}
