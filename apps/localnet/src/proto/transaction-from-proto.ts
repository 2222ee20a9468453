import { normalizeAddress, shortAddressPattern } from '@memrelay/protocol/address';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { ProgrammableTransaction } from '../execution/executor.ts';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import type { CallArg, Expiration, GasData } from '../execution/transaction-data.ts';

type Command = ProgrammableTransaction['commands'][number];
type MoveArgument = Extract<Command, { $kind: 'MergeCoins' }>['MergeCoins']['destination'];

/** An input as sent by a client. The node completes objects that have only an id. */
export type OpenInput = CallArg | { $kind: 'Unresolved'; objectId: string };

/** A transaction as sent by a client for simulation. Parts of it may be missing. */
export interface OpenTransaction {
  sender: string;
  inputs: OpenInput[];
  commands: Command[];
  gas: { owner: string; payment: GasData['payment']; price: string | undefined; budget: string | undefined };
  expiration: Expiration;
}

/** Parses the structured form. Throws `RequestRefused` for anything that is not a programmable transaction. */
export function transactionFromProto(transaction: GrpcTypes.Transaction): OpenTransaction {
  const data = transaction.kind?.data;
  if (data?.oneofKind !== 'programmableTransaction') {
    throw refused('only programmable transactions are supported');
  }
  const sender = address(transaction.sender ?? '0x0');
  const payment = transaction.gasPayment;
  return {
    sender,
    inputs: data.programmableTransaction.inputs.map(inputFromProto),
    commands: data.programmableTransaction.commands.map(({ command }) => commandFromProto(command)),
    gas: {
      owner: address(payment?.owner ?? sender),
      payment: (payment?.objects ?? []).map((object) => reference(object)),
      price: payment?.price?.toString(),
      budget: payment?.budget?.toString(),
    },
    expiration: expirationFromProto(transaction.expiration),
  };
}

function inputFromProto(input: GrpcTypes.Input): OpenInput {
  const kinds = GrpcTypes.Input_InputKind;
  switch (input.kind ?? kinds.INPUT_KIND_UNKNOWN) {
    case kinds.PURE:
      return { $kind: 'Pure', Pure: { bytes: toBase64(input.pure ?? new Uint8Array()) } };
    case kinds.IMMUTABLE_OR_OWNED:
      return { $kind: 'Object', Object: { $kind: 'ImmOrOwnedObject', ImmOrOwnedObject: reference(input) } };
    case kinds.SHARED: {
      const mutable = input.mutable ?? input.mutability === GrpcTypes.Input_Mutability.MUTABLE;
      const shared = {
        objectId: address(input.objectId),
        initialSharedVersion: `${input.version ?? 0n}`,
        mutable,
      };
      return { $kind: 'Object', Object: { $kind: 'SharedObject', SharedObject: shared } };
    }
    case kinds.INPUT_KIND_UNKNOWN:
      if (input.pure) return { $kind: 'Pure', Pure: { bytes: toBase64(input.pure) } };
      return { $kind: 'Unresolved', objectId: address(input.objectId) };
    default:
      throw refused('receiving objects and withdrawals are not supported on the localnet');
  }
}

function commandFromProto(command: GrpcTypes.Command['command']): Command {
  switch (command.oneofKind) {
    case 'moveCall': {
      const { package: packageId, module, function: name, typeArguments, arguments: args } = command.moveCall;
      return {
        $kind: 'MoveCall',
        MoveCall: {
          package: address(packageId),
          module: module ?? '',
          function: name ?? '',
          typeArguments,
          arguments: args.map(argumentFromProto),
        },
      };
    }
    case 'transferObjects': {
      const { objects, address: to } = command.transferObjects;
      return {
        $kind: 'TransferObjects',
        TransferObjects: { objects: objects.map(argumentFromProto), address: argumentFromProto(to) },
      };
    }
    case 'splitCoins': {
      const { coin, amounts } = command.splitCoins;
      return {
        $kind: 'SplitCoins',
        SplitCoins: { coin: argumentFromProto(coin), amounts: amounts.map(argumentFromProto) },
      };
    }
    case 'mergeCoins': {
      const { coin, coinsToMerge } = command.mergeCoins;
      return {
        $kind: 'MergeCoins',
        MergeCoins: { destination: argumentFromProto(coin), sources: coinsToMerge.map(argumentFromProto) },
      };
    }
    case 'makeMoveVector': {
      const { elementType, elements } = command.makeMoveVector;
      return {
        $kind: 'MakeMoveVec',
        MakeMoveVec: { type: elementType ?? null, elements: elements.map(argumentFromProto) },
      };
    }
    case 'publish': {
      const { modules, dependencies } = command.publish;
      return { $kind: 'Publish', Publish: { modules: modules.map(toBase64), dependencies } };
    }
    default:
      throw refused(`command ${command.oneofKind ?? 'without a kind'} is not supported on the localnet`);
  }
}

function argumentFromProto(argument: GrpcTypes.Argument | undefined): MoveArgument {
  const { GAS, INPUT, RESULT } = GrpcTypes.Argument_ArgumentKind;
  switch (argument?.kind) {
    case GAS:
      return { $kind: 'GasCoin', GasCoin: true };
    case INPUT:
      return { $kind: 'Input', Input: argument.input ?? 0 };
    case RESULT: {
      const result = argument.result ?? 0;
      if (argument.subresult === undefined) return { $kind: 'Result', Result: result };
      return { $kind: 'NestedResult', NestedResult: [result, argument.subresult] };
    }
    default:
      throw refused('a command has an argument without a kind');
  }
}

function expirationFromProto(expiration: GrpcTypes.TransactionExpiration | undefined): Expiration {
  const kinds = GrpcTypes.TransactionExpiration_TransactionExpirationKind;
  switch (expiration?.kind) {
    case undefined:
    case kinds.TRANSACTION_EXPIRATION_KIND_UNKNOWN:
    case kinds.NONE:
      return { $kind: 'None', None: true };
    case kinds.EPOCH:
      return { $kind: 'Epoch', Epoch: Number(expiration.epoch) };
    case kinds.VALID_DURING:
      return { $kind: 'ValidDuring', ValidDuring: boundsFromProto(expiration) };
    case kinds.VALIDITY: {
      const { allowedProposers } = expiration;
      const proposers = allowedProposers && {
        epoch: `${allowedProposers.epoch ?? 0n}`,
        proposers: allowedProposers.proposers,
      };
      return {
        $kind: 'Validity',
        Validity: { ...boundsFromProto(expiration), allowedProposers: proposers ?? null },
      };
    }
    default:
      throw refused('unknown kind of expiration');
  }
}

function boundsFromProto(expiration: GrpcTypes.TransactionExpiration) {
  const milliseconds = (time: GrpcTypes.TransactionExpiration['minTimestamp']) =>
    time ? `${time.seconds * 1000n + BigInt(Math.floor(time.nanos / 1_000_000))}` : null;
  return {
    minEpoch: expiration.minEpoch?.toString() ?? null,
    maxEpoch: expiration.epoch?.toString() ?? null,
    minTimestamp: milliseconds(expiration.minTimestamp),
    maxTimestamp: milliseconds(expiration.maxTimestamp),
    chain: expiration.chain ?? '',
    nonce: expiration.nonce ?? 0,
  };
}

function reference(object: { objectId?: string; version?: bigint; digest?: string }) {
  return {
    objectId: address(object.objectId),
    version: `${object.version ?? 0n}`,
    digest: object.digest ?? '',
  };
}

function address(text: string | undefined): string {
  if (!text || !shortAddressPattern.test(text)) throw refused(`${text} is not an address`);
  return normalizeAddress(text);
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function refused(message: string): RequestRefused {
  return new RequestRefused(grpcStatus.invalidArgument, message);
}
