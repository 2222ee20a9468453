import { grpcStatus, RequestRefused } from './failure.ts';
import type { TransactionData } from './transaction-data.ts';
import type { ChainObject } from './types.ts';
import type { StateReader } from './workspace.ts';

/** The input objects of a transaction, after they were checked against its references. */
export interface CheckedInputs {
  /** Owned and mutable shared objects. Each gets a new version even if the transaction fails */
  mutable: ChainObject[];
  mutableShared: Set<string>;
  /** Shared objects that are only read */
  readShared: ChainObject[];
}

interface ObjectRef {
  objectId: string;
  version: string;
  digest: string;
}

/**
 * Checks that every object of a transaction exists with that version and digest, and that the sender (for gas: the
 * gas owner) owns it. `ownership: false` skips the check of owners, for simulations without checks. Throws
 * `RequestRefused`, for a stale version with `failedPrecondition`, so that clients rebuild and retry.
 */
export function checkInputs(state: StateReader, data: TransactionData, ownership: boolean): CheckedInputs {
  const checked: CheckedInputs = { mutable: [], mutableShared: new Set(), readShared: [] };
  const seen = new Set<string>();
  const once = (id: string) => {
    if (seen.has(id)) throw refused(`object ${id} is used twice in the transaction's inputs`);
    seen.add(id);
  };
  for (const payment of data.gasData.payment) {
    once(payment.objectId);
    checked.mutable.push(ownedObject(state, payment, ownership ? data.gasData.owner : undefined));
  }
  for (const input of data.program.inputs) {
    if (input.$kind === 'Pure') continue;
    if (input.$kind !== 'Object') throw refused('withdrawals from an address balance are not supported');
    const { ImmOrOwnedObject, SharedObject } = input.Object;
    if (ImmOrOwnedObject) {
      once(ImmOrOwnedObject.objectId);
      const object = ownedObject(state, ImmOrOwnedObject, ownership ? data.sender : undefined);
      if (object.owner.kind === 'address') checked.mutable.push(object);
    } else if (SharedObject) {
      once(SharedObject.objectId);
      const object = sharedObject(state, SharedObject.objectId, SharedObject.initialSharedVersion);
      if (SharedObject.mutable) {
        checked.mutable.push(object);
        checked.mutableShared.add(object.id);
      } else checked.readShared.push(object);
    } else throw refused('receiving objects sent to objects is not supported');
  }
  return checked;
}

function ownedObject(state: StateReader, ref: ObjectRef, owner: string | undefined): ChainObject {
  const object = existing(state, ref.objectId);
  if (object.version !== BigInt(ref.version) || object.digest !== ref.digest) {
    throw new RequestRefused(
      grpcStatus.failedPrecondition,
      `Object ID ${ref.objectId} Version ${ref.version} Digest ${ref.digest} is not available for consumption, ` +
        `current version: ${object.version}`,
    );
  }
  switch (object.owner.kind) {
    case 'immutable':
      return object;
    case 'address':
      if (owner === undefined || object.owner.address === owner) return object;
      throw refused(`object ${object.id} is owned by ${object.owner.address}, but ${owner} used it`);
    case 'shared':
      throw refused(`object ${object.id} is shared, but the transaction uses it as owned`);
    case 'object':
      throw refused(`object ${object.id} is owned by an object and cannot be an input`);
  }
}

function sharedObject(state: StateReader, id: string, initialVersion: string): ChainObject {
  const object = existing(state, id);
  if (object.owner.kind !== 'shared') throw refused(`object ${id} is not shared`);
  if (object.owner.initialVersion !== BigInt(initialVersion)) {
    throw refused(
      `object ${id} became shared at version ${object.owner.initialVersion}, not ${initialVersion}`,
    );
  }
  return object;
}

function existing(state: StateReader, id: string): ChainObject {
  const object = state.object(id);
  if (!object) throw new RequestRefused(grpcStatus.notFound, `object ${id} does not exist`);
  return object;
}

function refused(message: string): RequestRefused {
  return new RequestRefused(grpcStatus.invalidArgument, message);
}
