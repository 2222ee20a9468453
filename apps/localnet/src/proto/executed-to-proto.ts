import { GrpcTypes } from '@mysten/sui/grpc';
import { dependenciesOf, encodeEffects, encodeEvents, eventsDigest } from '../execution/effects-bcs.ts';
import type { ExecutionFailure, FailureDetail } from '../execution/failure.ts';
import { typedDigest } from '../execution/hash.ts';
import type { Outcome } from '../execution/outcome.ts';
import type { ChainEvent, ObjectChange } from '../execution/types.ts';
import { ownerToProto } from './object-to-proto.ts';
import { timestampToProto, transactionToProto } from './transaction-to-proto.ts';

/** All fields of an executed or simulated transaction. A read mask reduces them later. */
export function executedToProto(
  outcome: Outcome,
  placed: { signatures: readonly string[]; checkpoint?: number },
): GrpcTypes.ExecutedTransaction {
  return GrpcTypes.ExecutedTransaction.create({
    digest: outcome.digest,
    transaction: {
      ...transactionToProto(outcome.data),
      digest: outcome.digest,
      bcs: { name: 'TransactionData', value: outcome.bytes },
    },
    signatures: placed.signatures.map((signature) => ({
      bcs: { name: 'UserSignatureBytes', value: Buffer.from(signature, 'base64') },
      signature: { oneofKind: undefined },
    })),
    effects: effectsToProto(outcome),
    ...(outcome.events.length > 0 && {
      events: {
        bcs: { name: 'TransactionEvents', value: encodeEvents(outcome.events) },
        digest: eventsDigest(outcome.events)!,
        events: outcome.events.map(eventToProto),
      },
    }),
    ...(placed.checkpoint !== undefined && { checkpoint: BigInt(placed.checkpoint), transactionIndex: 0n }),
    timestamp: timestampToProto(outcome.timestampMs),
    balanceChanges: outcome.balanceChanges.map(({ address, coinType, amount }) => ({
      address,
      coinType,
      amount: amount.toString(),
    })),
  });
}

export function eventToProto(event: ChainEvent): GrpcTypes.Event {
  return {
    packageId: event.packageId,
    module: event.module,
    sender: event.sender,
    eventType: event.type,
    contents: { name: event.type, value: event.contents },
  };
}

function effectsToProto(outcome: Outcome): GrpcTypes.TransactionEffects {
  const value = encodeEffects(outcome);
  const digest = eventsDigest(outcome.events);
  const changedObjects = outcome.changes.map(changeToProto);
  const gasObject = changedObjects.find(({ objectId }) => objectId === outcome.gasObject);
  return GrpcTypes.TransactionEffects.create({
    bcs: { name: 'TransactionEffects', value },
    digest: typedDigest('TransactionEffects', value),
    version: 2,
    status: statusToProto(outcome.failure),
    epoch: BigInt(outcome.epoch),
    gasUsed: {
      computationCost: outcome.gas.computation,
      storageCost: 0n,
      storageRebate: 0n,
      nonRefundableStorageFee: 0n,
    },
    transactionDigest: outcome.digest,
    ...(gasObject && { gasObject }),
    ...(digest && { eventsDigest: digest }),
    dependencies: dependenciesOf(outcome),
    lamportVersion: outcome.lamportVersion,
    changedObjects,
    unchangedConsensusObjects: outcome.readShared.map(({ id, version, digest, type }) => ({
      kind: GrpcTypes.UnchangedConsensusObject_UnchangedConsensusObjectKind.READ_ONLY_ROOT,
      objectId: id,
      version,
      digest,
      objectType: type,
    })),
  });
}

function changeToProto({ id, type, before, after, idOperation }: ObjectChange): GrpcTypes.ChangedObject {
  const input = GrpcTypes.ChangedObject_InputObjectState;
  const output = GrpcTypes.ChangedObject_OutputObjectState;
  const { NONE, CREATED, DELETED } = GrpcTypes.ChangedObject_IdOperation;
  return {
    objectId: id,
    objectType: type,
    inputState: before ? input.EXISTS : input.DOES_NOT_EXIST,
    ...(before && {
      inputVersion: before.version,
      inputDigest: before.digest,
      inputOwner: ownerToProto(before.owner),
    }),
    outputState: after ? output.OBJECT_WRITE : output.DOES_NOT_EXIST,
    ...(after && {
      outputVersion: after.version,
      outputDigest: after.digest,
      outputOwner: ownerToProto(after.owner),
    }),
    idOperation: { none: NONE, created: CREATED, deleted: DELETED }[idOperation],
  };
}

function statusToProto(failure: ExecutionFailure | undefined): GrpcTypes.ExecutionStatus {
  if (!failure) return { success: true };
  const kinds = GrpcTypes.ExecutionError_ExecutionErrorKind;
  const kind = screamingSnake(failure.detail.kind) as keyof typeof kinds;
  return {
    success: false,
    error: {
      kind: kinds[kind],
      description: failure.message,
      ...(failure.command !== undefined && { command: BigInt(failure.command) }),
      errorDetails: detailsToProto(failure.detail),
    },
  };
}

function detailsToProto(detail: FailureDetail): GrpcTypes.ExecutionError['errorDetails'] {
  if (detail.kind === 'MoveAbort') {
    const { code, packageId, module, functionName } = detail;
    const location = { package: packageId, module, function: 0, instruction: 0, functionName };
    return {
      oneofKind: 'abort',
      abort: { abortCode: code, location },
    };
  }
  if (detail.kind === 'CommandArgumentError') {
    const kinds = GrpcTypes.CommandArgumentError_CommandArgumentErrorKind;
    const renamed: Record<string, string> = { InvalidUsageOfPureArg: 'INVALID_USAGE_OF_PURE_ARGUMENT' };
    const kind = (renamed[detail.reason] ?? screamingSnake(detail.reason)) as keyof typeof kinds;
    return {
      oneofKind: 'commandArgumentError',
      commandArgumentError: { argument: detail.argument, kind: kinds[kind] },
    };
  }
  if (detail.kind === 'UnusedValueWithoutDrop') {
    return { oneofKind: 'indexError', indexError: { index: detail.result, subresult: detail.subresult } };
  }
  return { oneofKind: undefined };
}

/** `InvalidBCSBytes` → `INVALID_BCS_BYTES`: derives enum names from variant names. */
function screamingSnake(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toUpperCase();
}
