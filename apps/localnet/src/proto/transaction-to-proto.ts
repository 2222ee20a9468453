import { GrpcTypes } from '@mysten/sui/grpc';
import type { ProgrammableTransaction } from '../execution/executor.ts';
import type { CallArg, Expiration, TransactionData } from '../execution/transaction-data.ts';

type Command = ProgrammableTransaction['commands'][number];
type MoveArgument = Extract<Command, { $kind: 'MergeCoins' }>['MergeCoins']['destination'];

/** The structured form of a transaction, without its bytes. */
export function transactionToProto(data: TransactionData): GrpcTypes.Transaction {
  return GrpcTypes.Transaction.create({
    version: 1,
    sender: data.sender,
    kind: {
      kind: GrpcTypes.TransactionKind_Kind.PROGRAMMABLE_TRANSACTION,
      data: {
        oneofKind: 'programmableTransaction',
        programmableTransaction: {
          inputs: data.program.inputs.map(inputToProto),
          commands: data.program.commands.map((command) => ({ command: commandToProto(command) })),
        },
      },
    },
    gasPayment: {
      objects: data.gasData.payment.map(({ objectId, version, digest }) => ({
        objectId,
        version: BigInt(version),
        digest,
      })),
      owner: data.gasData.owner,
      price: BigInt(data.gasData.price),
      budget: BigInt(data.gasData.budget),
    },
    expiration: expirationToProto(data.expiration),
  });
}

function inputToProto(input: CallArg): GrpcTypes.Input {
  const { IMMUTABLE_OR_OWNED, PURE, RECEIVING, SHARED, FUNDS_WITHDRAWAL } = GrpcTypes.Input_InputKind;
  if (input.$kind === 'Pure') return { kind: PURE, pure: Buffer.from(input.Pure.bytes, 'base64') };
  if (input.$kind === 'FundsWithdrawal') return { kind: FUNDS_WITHDRAWAL };
  const { ImmOrOwnedObject, SharedObject, Receiving } = input.Object;
  if (SharedObject) {
    const { objectId, initialSharedVersion, mutable } = SharedObject;
    const { IMMUTABLE, MUTABLE } = GrpcTypes.Input_Mutability;
    return {
      kind: SHARED,
      objectId,
      version: BigInt(initialSharedVersion),
      mutable,
      mutability: mutable ? MUTABLE : IMMUTABLE,
    };
  }
  const { objectId, version, digest } = ImmOrOwnedObject ?? Receiving!;
  return {
    kind: ImmOrOwnedObject ? IMMUTABLE_OR_OWNED : RECEIVING,
    objectId,
    version: BigInt(version),
    digest,
  };
}

function commandToProto(command: Command): GrpcTypes.Command['command'] {
  switch (command.$kind) {
    case 'MoveCall': {
      const { package: packageId, module, function: name, typeArguments, arguments: args } = command.MoveCall;
      const moveCall = {
        package: packageId,
        module,
        function: name,
        typeArguments,
        arguments: args.map(argumentToProto),
      };
      return { oneofKind: 'moveCall', moveCall };
    }
    case 'TransferObjects': {
      const { objects, address } = command.TransferObjects;
      const transferObjects = { objects: objects.map(argumentToProto), address: argumentToProto(address) };
      return { oneofKind: 'transferObjects', transferObjects };
    }
    case 'SplitCoins': {
      const { coin, amounts } = command.SplitCoins;
      const splitCoins = { coin: argumentToProto(coin), amounts: amounts.map(argumentToProto) };
      return { oneofKind: 'splitCoins', splitCoins };
    }
    case 'MergeCoins': {
      const { destination, sources } = command.MergeCoins;
      const mergeCoins = { coin: argumentToProto(destination), coinsToMerge: sources.map(argumentToProto) };
      return { oneofKind: 'mergeCoins', mergeCoins };
    }
    case 'MakeMoveVec': {
      const { type, elements } = command.MakeMoveVec;
      const makeMoveVector = { ...(type && { elementType: type }), elements: elements.map(argumentToProto) };
      return { oneofKind: 'makeMoveVector', makeMoveVector };
    }
    case 'Publish': {
      const { modules, dependencies } = command.Publish;
      return { oneofKind: 'publish', publish: { modules: modules.map(fromBase64), dependencies } };
    }
    case 'Upgrade': {
      const { modules, dependencies, package: packageId, ticket } = command.Upgrade;
      const upgrade = {
        modules: modules.map(fromBase64),
        dependencies,
        package: packageId,
        ticket: argumentToProto(ticket),
      };
      return { oneofKind: 'upgrade', upgrade };
    }
  }
}

function fromBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

function argumentToProto(argument: MoveArgument): GrpcTypes.Argument {
  const { GAS, INPUT, RESULT } = GrpcTypes.Argument_ArgumentKind;
  switch (argument.$kind) {
    case 'GasCoin':
      return { kind: GAS };
    case 'Input':
      return { kind: INPUT, input: argument.Input };
    case 'Result':
      return { kind: RESULT, result: argument.Result };
    case 'NestedResult':
      return { kind: RESULT, result: argument.NestedResult[0], subresult: argument.NestedResult[1] };
  }
}

function expirationToProto(expiration: Expiration): GrpcTypes.TransactionExpiration {
  const { NONE, EPOCH, VALID_DURING, VALIDITY } = GrpcTypes.TransactionExpiration_TransactionExpirationKind;
  if (expiration?.$kind === 'Epoch') return { kind: EPOCH, epoch: BigInt(expiration.Epoch) };
  const bounds = expiration?.ValidDuring ?? expiration?.Validity;
  if (!bounds) return { kind: NONE };
  const proposers = expiration?.Validity?.allowedProposers;
  return {
    kind: expiration?.$kind === 'Validity' ? VALIDITY : VALID_DURING,
    ...(bounds.minEpoch !== null && { minEpoch: BigInt(bounds.minEpoch) }),
    ...(bounds.maxEpoch !== null && { epoch: BigInt(bounds.maxEpoch) }),
    ...(bounds.minTimestamp !== null && { minTimestamp: timestampToProto(bounds.minTimestamp) }),
    ...(bounds.maxTimestamp !== null && { maxTimestamp: timestampToProto(bounds.maxTimestamp) }),
    chain: bounds.chain,
    nonce: bounds.nonce,
    ...(proposers && {
      allowedProposers: { epoch: BigInt(proposers.epoch), proposers: proposers.proposers },
    }),
  };
}

/** Milliseconds as protobuf keeps a time. */
export function timestampToProto(
  milliseconds: number | string,
): GrpcTypes.TransactionExpiration['minTimestamp'] & object {
  const value = BigInt(milliseconds);
  return { seconds: value / 1000n, nanos: Number(value % 1000n) * 1_000_000 };
}
