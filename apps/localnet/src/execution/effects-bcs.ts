import { bcs } from '@mysten/sui/bcs';
import type { ExecutionFailure, FailureDetail } from './failure.ts';
import { typedDigest } from './hash.ts';
import { ownerToBcs } from './object-bcs.ts';
import type { Outcome } from './outcome.ts';
import type { ChainEvent, ObjectChange } from './types.ts';

type EffectsInput = Extract<Parameters<typeof bcs.TransactionEffects.serialize>[0], { V2: unknown }>['V2'];
type StatusInput = EffectsInput['status'];
type ChangeInput =
  EffectsInput['changedObjects'] extends Iterable<readonly [unknown, infer Change]> ? Change : never;

const Event = bcs.struct('Event', {
  packageId: bcs.Address,
  module: bcs.string(),
  sender: bcs.Address,
  type: bcs.StructTag,
  contents: bcs.byteVector(),
});

/** BCS `TransactionEvents`, from which the digest is computed. */
export function encodeEvents(events: readonly ChainEvent[]): Uint8Array<ArrayBuffer> {
  return bcs
    .vector(Event)
    .serialize(
      events.map((event) => ({
        ...event,
        type: bcs.StructTag.parse(bcs.TypeTag.serialize(event.type).toBytes().subarray(1)),
      })),
    )
    .toBytes();
}

export function eventsDigest(events: readonly ChainEvent[]): string | undefined {
  return events.length > 0 ? typedDigest('TransactionEvents', encodeEvents(events)) : undefined;
}

/** Transactions whose results this one read. */
export function dependenciesOf(outcome: Outcome): string[] {
  const before = outcome.changes.flatMap((change) =>
    change.before ? [change.before.previousTransaction] : [],
  );
  return [...new Set([...before, ...outcome.readShared.map((object) => object.previousTransaction)])].sort();
}

/** BCS `TransactionEffects` (V2). */
export function encodeEffects(outcome: Outcome): Uint8Array<ArrayBuffer> {
  const gasIndex = outcome.changes.findIndex(({ id }) => id === outcome.gasObject);
  return bcs.TransactionEffects.serialize({
    V2: {
      status: encodeStatus(outcome.failure),
      executedEpoch: outcome.epoch,
      gasUsed: {
        computationCost: outcome.gas.computation,
        storageCost: 0,
        storageRebate: 0,
        nonRefundableStorageFee: 0,
      },
      transactionDigest: outcome.digest,
      gasObjectIndex: gasIndex < 0 ? null : gasIndex,
      eventsDigest: eventsDigest(outcome.events) ?? null,
      dependencies: dependenciesOf(outcome),
      lamportVersion: outcome.lamportVersion,
      changedObjects: outcome.changes.map((change) => [change.id, encodeChange(change)]),
      unchangedConsensusObjects: outcome.readShared.map(({ id, version, digest }) => [
        id,
        { ReadOnlyRoot: [version, digest] },
      ]),
      auxDataDigest: null,
    },
  }).toBytes();
}

function encodeChange({ before, after, idOperation }: ObjectChange): ChangeInput {
  const operation = { none: { None: true }, created: { Created: true }, deleted: { Deleted: true } } as const;
  return {
    inputState: before
      ? { Exist: [[before.version, before.digest], ownerToBcs(before.owner)] }
      : { NotExist: true },
    outputState: after ? { ObjectWrite: [after.digest, ownerToBcs(after.owner)] } : { NotExist: true },
    idOperation: operation[idOperation],
  };
}

function encodeStatus(failure: ExecutionFailure | undefined): StatusInput {
  if (!failure) return { Success: true };
  return { Failure: { error: encodeFailure(failure.detail), command: failure.command ?? null } };
}

function encodeFailure(
  detail: FailureDetail,
): Extract<StatusInput, { Failure: unknown }>['Failure']['error'] {
  switch (detail.kind) {
    case 'MoveAbort':
      return {
        MoveAbort: [
          {
            module: { address: detail.packageId, name: detail.module },
            function: 0,
            instruction: 0,
            functionName: detail.functionName,
          },
          detail.code,
        ],
      };
    case 'CommandArgumentError':
      return { CommandArgumentError: { argIdx: detail.argument, kind: encodeArgumentReason(detail) } };
    case 'UnusedValueWithoutDrop':
      return { UnusedValueWithoutDrop: { resultIdx: detail.result, secondaryIdx: detail.subresult } };
    default:
      return { [detail.kind]: true } as { InsufficientGas: true };
  }
}

function encodeArgumentReason({
  argument,
  reason,
}: Extract<FailureDetail, { kind: 'CommandArgumentError' }>) {
  switch (reason) {
    case 'IndexOutOfBounds':
      return { IndexOutOfBounds: { idx: argument } };
    case 'SecondaryIndexOutOfBounds':
      return { SecondaryIndexOutOfBounds: { resultIdx: argument, secondaryIdx: 0 } };
    case 'InvalidResultArity':
      return { InvalidResultArity: { resultIdx: argument } };
    default:
      return { [reason]: true } as { TypeMismatch: true };
  }
}
