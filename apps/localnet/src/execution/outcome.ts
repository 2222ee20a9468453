import type { Value } from './call.ts';
import { coinBalance } from './coin.ts';
import type { ExecutionFailure } from './failure.ts';
import type { ModuleRegistry } from './modules.ts';
import { sealObject } from './object-bcs.ts';
import type { TransactionData } from './transaction-data.ts';
import { coinTypeOf } from './type-tags.ts';
import type { BalanceChange, ChainEvent, ChainObject, GasCost, ObjectChange } from './types.ts';
import type { WorkObject, Workspace } from './workspace.ts';

/** All results of running a transaction, before it is (or is not) written. */
export interface Outcome {
  digest: string;
  data: TransactionData;
  bytes: Uint8Array;
  /** Undefined: success */
  failure: ExecutionFailure | undefined;
  gas: GasCost;
  gasObject: string | undefined;
  epoch: number;
  timestampMs: number;
  lamportVersion: bigint;
  changes: ObjectChange[];
  readShared: ChainObject[];
  events: ChainEvent[];
  balanceChanges: BalanceChange[];
  /** The results of each command, with objects in their final state; empty if the transaction failed */
  returned: { type: string; bytes: Uint8Array }[][];
}

/**
 * The changes of a workspace, with the new version set on all written objects. `touched` objects get a new version
 * even if they did not change, as every mutable input in Sui.
 */
export function collectChanges(
  workspace: Workspace,
  touched: readonly ChainObject[],
  version: bigint,
  digest: string,
  modules: ModuleRegistry,
): ObjectChange[] {
  const touchedIds = new Set(touched.map(({ id }) => id));
  for (const { id } of touched) workspace.load(id);
  const changes: ObjectChange[] = [];
  for (const work of workspace.objects.values()) {
    const change = changeOf(work, touchedIds.has(work.id), version, digest, modules);
    if (change) changes.push(change);
  }
  return changes.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function changeOf(
  work: WorkObject,
  touched: boolean,
  version: bigint,
  digest: string,
  modules: ModuleRegistry,
): ObjectChange | undefined {
  const { id, type, before } = work;
  if (work.deleted || !work.owner) {
    return before && { id, type, before, idOperation: 'deleted' };
  }
  const unchanged = before && work.contents === before.contents && work.owner === before.owner;
  if (unchanged && !touched) return undefined;
  // The clock gets the time of every transaction, which does not count as a change by the transaction.
  if (before?.owner.kind === 'shared' && !touched) return undefined;
  const owner =
    work.owner.kind === 'shared' && !before ? { ...work.owner, initialVersion: version } : work.owner;
  const contents = work.contents;
  const after = sealObject(
    { id, version, owner, type, contents, previousTransaction: digest },
    modules.hasPublicTransfer(type),
  );
  return { id, type, ...(before && { before }), after, idOperation: work.created ? 'created' : 'none' };
}

/** Sums of coins gained and lost per address and coin type. */
export function collectBalanceChanges(changes: readonly ObjectChange[]): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  const add = (object: ChainObject | undefined, sign: bigint) => {
    const coinType = object && coinTypeOf(object.type);
    if (!coinType || object.owner.kind !== 'address') return;
    const { address } = object.owner;
    const entry = sums.get(`${address} ${coinType}`) ?? { address, coinType, amount: 0n };
    entry.amount += sign * coinBalance(object);
    sums.set(`${address} ${coinType}`, entry);
  };
  for (const { before, after } of changes) {
    add(before, -1n);
    add(after, 1n);
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

/** The returned values of each command as bytes. */
export function describeReturned(outputs: Value[][], workspace: Workspace): Outcome['returned'] {
  return outputs.map((values) =>
    values.map((value) => {
      if (value.kind === 'pure') return { type: value.type ?? '', bytes: value.bytes };
      if (value.kind === 'objects') return { type: value.type, bytes: new Uint8Array() };
      const object = workspace.objects.get(value.id)!;
      return { type: object.type, bytes: object.contents };
    }),
  );
}
