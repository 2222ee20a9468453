import { bcs } from '@mysten/sui/bcs';
import { type CallEnvironment, NativeCall, type Value } from './call.ts';
import { changeBalance, coinBalance, encodeCoin } from './coin.ts';
import { type ArgumentReason, argumentFailure, ExecutionFailure } from './failure.ts';
import { coinTypeOf, normalizeType } from './type-tags.ts';
import type { WorkObject } from './workspace.ts';

export type ProgrammableTransaction = typeof bcs.ProgrammableTransaction.$inferType;
type Command = ProgrammableTransaction['commands'][number];
type Argument = typeof bcs.Argument.$inferType;

/**
 * Maximum size of a value that `MakeMoveVec` creates, in bytes. Sui limits such values by gas; here every transaction
 * costs the same, and a vector of vectors would otherwise grow exponentially with the commands.
 */
const maxVectorBytes = 64 * 1024;

export interface ProgramEnvironment extends CallEnvironment {
  /** Object id of `GasCoin`; undefined if commands cannot use it */
  readonly gasCoin: string | undefined;
  /** Shared inputs that may be changed */
  readonly mutableShared: ReadonlySet<string>;
}

/**
 * Runs the commands of a programmable transaction in its environment's workspace. Returns the results of each
 * command. Throws `ExecutionFailure` with the index of the command that failed.
 */
export function executeProgram(program: ProgrammableTransaction, environment: ProgramEnvironment): Value[][] {
  return new ProgramRun(program, environment).run();
}

class ProgramRun {
  readonly #program: ProgrammableTransaction;
  readonly #environment: ProgramEnvironment;
  readonly #inputs: (Value | undefined)[];
  readonly #results: (Value | undefined)[][] = [];
  #gas: Value | undefined;

  constructor(program: ProgrammableTransaction, environment: ProgramEnvironment) {
    this.#program = program;
    this.#environment = environment;
    this.#inputs = program.inputs.map(toValue);
    this.#gas = environment.gasCoin ? { kind: 'object', id: environment.gasCoin } : undefined;
  }

  run(): Value[][] {
    const outputs: Value[][] = [];
    for (const [index, command] of this.#program.commands.entries()) {
      try {
        const results = this.#command(command);
        outputs.push(results);
        this.#results.push([...results]);
      } catch (error) {
        if (error instanceof ExecutionFailure) error.command = index;
        throw error;
      }
    }
    this.#checkUnused();
    return outputs;
  }

  #command(command: Command): Value[] {
    switch (command.$kind) {
      case 'MoveCall':
        return this.#moveCall(command.MoveCall);
      case 'SplitCoins':
        return this.#splitCoins(command.SplitCoins);
      case 'MergeCoins':
        return this.#mergeCoins(command.MergeCoins);
      case 'TransferObjects':
        return this.#transferObjects(command.TransferObjects);
      case 'MakeMoveVec':
        return this.#makeMoveVec(command.MakeMoveVec);
      default:
        throw new ExecutionFailure(
          { kind: 'FeatureNotYetSupported' },
          `${command.$kind} is not supported on the localnet: its Move functions are built in`,
        );
    }
  }

  #moveCall(call: Extract<Command, { $kind: 'MoveCall' }>['MoveCall']): Value[] {
    const name = `${call.package}::${call.module}::${call.function}`;
    const definition = this.#environment.modules.function(call.package, call.module, call.function);
    if (!definition) throw new ExecutionFailure({ kind: 'FunctionNotFound' }, `Function not found: ${name}`);
    if (call.typeArguments.length !== (definition.typeParameters ?? 0)) {
      throw new ExecutionFailure({ kind: 'TypeArityMismatch' }, `Wrong number of type arguments for ${name}`);
    }
    if (call.arguments.length !== definition.params.length) {
      throw new ExecutionFailure(
        { kind: 'ArityMismatch' },
        `${name} takes ${definition.params.length} arguments, but got ${call.arguments.length}`,
      );
    }
    const values = call.arguments.map((argument, index) => {
      const param = definition.params[index]!;
      if (param.kind === 'own') return this.#take(argument, index);
      return this.#borrow(argument, index, param.kind === 'ref' && param.mutable);
    });
    const target = {
      packageId: call.package,
      module: call.module,
      functionName: call.function,
      typeArguments: call.typeArguments.map(normalizeType),
    };
    return new NativeCall(this.#environment, target, definition).run(values);
  }

  #splitCoins(command: Extract<Command, { $kind: 'SplitCoins' }>['SplitCoins']): Value[] {
    const coin = this.#coin(command.coin, 0);
    return command.amounts.map((argument, index) => {
      const amount = this.#pure(argument, index + 1, bcs.u64(), BigInt);
      changeBalance(coin, -amount);
      const id = this.#environment.workspace.newObjectId();
      this.#environment.workspace.create(id, coin.type, encodeCoin(id, amount));
      return { kind: 'object', id };
    });
  }

  #mergeCoins(command: Extract<Command, { $kind: 'MergeCoins' }>['MergeCoins']): Value[] {
    const destination = this.#coin(command.destination, 0);
    for (const [index, argument] of command.sources.entries()) {
      const value = this.#take(argument, index + 1);
      const source = value.kind === 'object' ? this.#environment.workspace.load(value.id) : undefined;
      if (!source || source.type !== destination.type) throw argumentFailure(index + 1, 'TypeMismatch');
      if (source === destination) throw argumentFailure(index + 1, 'InvalidValueUsage');
      changeBalance(destination, coinBalance(source));
      source.deleted = true;
    }
    return [];
  }

  #transferObjects(command: Extract<Command, { $kind: 'TransferObjects' }>['TransferObjects']): Value[] {
    const address = this.#pure(command.address, command.objects.length, bcs.Address, String);
    for (const [index, argument] of command.objects.entries()) {
      const value = argument.$kind === 'GasCoin' ? this.#takeGas(index) : this.#take(argument, index);
      if (value.kind !== 'object') throw argumentFailure(index, 'InvalidUsageOfPureArg');
      const work = this.#environment.workspace.load(value.id)!;
      if (!this.#environment.modules.hasPublicTransfer(work.type)) {
        throw new ExecutionFailure(
          { kind: 'InvalidTransferObject' },
          `${work.type} does not have the store ability, so only its module can transfer it`,
        );
      }
      work.owner = { kind: 'address', address };
    }
    return [];
  }

  #makeMoveVec(command: Extract<Command, { $kind: 'MakeMoveVec' }>['MakeMoveVec']): Value[] {
    const values = command.elements.map((argument, index) => this.#take(argument, index));
    const objects = values.filter((value) => value.kind === 'object');
    if (objects.length > 0) {
      const types = objects.map(({ id }) => this.#environment.workspace.load(id)!.type);
      const type = command.type ? normalizeType(command.type) : types[0]!;
      const odd = values.findIndex((value, index) => value.kind !== 'object' || types[index] !== type);
      if (odd >= 0) throw argumentFailure(odd, 'TypeMismatch');
      return [{ kind: 'objects', type: `vector<${type}>`, ids: objects.map(({ id }) => id) }];
    }
    if (!command.type) throw argumentFailure(0, 'InvalidMakeMoveVecNonObjectArgument');
    const element = normalizeType(command.type);
    if (values.length === 0 && this.#environment.modules.hasPublicTransfer(element)) {
      return [{ kind: 'objects', type: `vector<${element}>`, ids: [] }];
    }
    let size = 0;
    const parts = values.map((value, index) => {
      if (value.kind !== 'pure') throw argumentFailure(index, 'TypeMismatch');
      size += value.bytes.length;
      return value.bytes;
    });
    if (size > maxVectorBytes)
      throw new ExecutionFailure({ kind: 'InsufficientGas' }, 'The vector is too large');
    const length = bcs.uleb128().serialize(values.length).toBytes();
    return [{ kind: 'pure', bytes: Buffer.concat([length, ...parts]), type: `vector<${element}>` }];
  }

  #coin(argument: Argument, position: number): WorkObject {
    const value = this.#borrow(argument, position, true);
    const work = value.kind === 'object' ? this.#environment.workspace.load(value.id) : undefined;
    if (!work || coinTypeOf(work.type) === undefined) throw argumentFailure(position, 'TypeMismatch');
    return work;
  }

  #pure<Raw, Result>(
    argument: Argument,
    position: number,
    codec: { parse(bytes: Uint8Array): Raw; serialize(value: Raw): { toBytes(): Uint8Array } },
    convert: (raw: Raw) => Result,
  ): Result {
    const value = this.#borrow(argument, position, false);
    if (value.kind !== 'pure') throw argumentFailure(position, 'TypeMismatch');
    try {
      const raw = codec.parse(value.bytes);
      if (codec.serialize(raw).toBytes().length === value.bytes.length) return convert(raw);
    } catch {
      // Reported below, as for bytes that are too long.
    }
    throw argumentFailure(position, 'InvalidBCSBytes');
  }

  /** The slots that an argument refers to, and its index in them. */
  #slot(argument: Argument, position: number): { slots: (Value | undefined)[]; index: number } {
    switch (argument.$kind) {
      case 'GasCoin':
        if (!this.#gas) throw argumentFailure(position, 'InvalidGasCoinUsage');
        return { slots: [this.#gas], index: 0 };
      case 'Input':
        return inBounds(this.#inputs, argument.Input, position, 'IndexOutOfBounds');
      case 'Result': {
        const results = this.#results[argument.Result];
        if (!results) throw argumentFailure(position, 'IndexOutOfBounds');
        if (results.length !== 1) throw argumentFailure(position, 'InvalidResultArity');
        return { slots: results, index: 0 };
      }
      case 'NestedResult': {
        const results = this.#results[argument.NestedResult[0]];
        if (!results) throw argumentFailure(position, 'IndexOutOfBounds');
        return inBounds(results, argument.NestedResult[1], position, 'SecondaryIndexOutOfBounds');
      }
    }
  }

  #borrow(argument: Argument, position: number, mutable: boolean): Value {
    const { slots, index } = this.#slot(argument, position);
    const value = slots[index];
    if (!value) throw argumentFailure(position, 'InvalidValueUsage');
    if (mutable && value.kind === 'object') {
      const work = this.#environment.workspace.load(value.id);
      const shared = work?.owner?.kind === 'shared' && !this.#environment.mutableShared.has(value.id);
      if (shared || work?.owner?.kind === 'immutable')
        throw argumentFailure(position, 'InvalidObjectByMutRef');
    }
    return value;
  }

  /** Moves a value out of its slot; plain values are copied. */
  #take(argument: Argument, position: number): Value {
    // As in Sui, the gas coin can be borrowed by commands or transferred, but not consumed.
    if (argument.$kind === 'GasCoin') throw argumentFailure(position, 'InvalidGasCoinUsage');
    const value = this.#borrow(argument, position, false);
    if (value.kind === 'pure') return value;
    const ids = value.kind === 'object' ? [value.id] : value.ids;
    for (const id of ids) {
      const owner = this.#environment.workspace.load(id)?.owner;
      if (owner && owner.kind !== 'address') throw argumentFailure(position, 'InvalidObjectByValue');
    }
    const { slots, index } = this.#slot(argument, position);
    slots[index] = undefined;
    return value;
  }

  #takeGas(position: number): Value {
    const gas = this.#borrow({ $kind: 'GasCoin', GasCoin: true }, position, false);
    this.#gas = undefined;
    return gas;
  }

  /** Checks that all objects returned by commands are used, because they cannot be dropped. */
  #checkUnused(): void {
    for (const [result, values] of this.#results.entries()) {
      for (const [subresult, value] of values.entries()) {
        const left = value?.kind === 'object' || (value?.kind === 'objects' && value.ids.length > 0);
        if (!left) continue;
        throw new ExecutionFailure(
          { kind: 'UnusedValueWithoutDrop', result, subresult },
          `The value ${subresult} of command ${result} is not used, and its type cannot be dropped`,
        );
      }
    }
  }
}

function inBounds(
  slots: (Value | undefined)[],
  index: number,
  position: number,
  reason: ArgumentReason,
): { slots: (Value | undefined)[]; index: number } {
  if (index >= slots.length) throw argumentFailure(position, reason);
  return { slots, index };
}

function toValue(input: ProgrammableTransaction['inputs'][number]): Value {
  if (input.$kind === 'Pure') return { kind: 'pure', bytes: Buffer.from(input.Pure.bytes, 'base64') };
  if (input.$kind === 'Object') {
    const { ImmOrOwnedObject, SharedObject, Receiving } = input.Object;
    return { kind: 'object', id: (ImmOrOwnedObject ?? SharedObject ?? Receiving!).objectId };
  }
  throw new ExecutionFailure({ kind: 'FeatureNotYetSupported' }, 'Withdrawals from an address balance');
}
