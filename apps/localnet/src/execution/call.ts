import { argumentFailure, ExecutionFailure } from './failure.ts';
import type { ModuleRegistry } from './modules.ts';
import {
  type AnyBcs,
  MoveAbort,
  type MoveObject,
  type NativeContext,
  type NativeFunction,
  type Param,
} from './native.ts';
import { instantiate } from './type-tags.ts';
import type { ChainEvent, Owner } from './types.ts';
import type { WorkObject, Workspace } from './workspace.ts';

/** A value that is passed between commands. Objects are referenced by id; their bytes are in the workspace. */
export type Value =
  | { kind: 'pure'; bytes: Uint8Array; type?: string }
  | { kind: 'object'; id: string }
  | { kind: 'objects'; type: string; ids: readonly string[] };

/** The context of a call. */
export interface CallEnvironment {
  readonly sender: string;
  readonly epoch: bigint;
  readonly nowMs: bigint;
  readonly modules: ModuleRegistry;
  readonly workspace: Workspace;
}

export interface MoveCallTarget {
  packageId: string;
  module: string;
  functionName: string;
  typeArguments: readonly string[];
}

interface Disposal {
  object: MoveObject;
  fate: Owner | 'destroyed';
}

/** Runs one native function: decodes the arguments, calls it, and writes back its changes. */
export class NativeCall {
  readonly #environment: CallEnvironment;
  readonly #target: MoveCallTarget;
  readonly #definition: NativeFunction;
  readonly #borrowed: { object: MoveObject; work: WorkObject; mutable: boolean }[] = [];
  readonly #owned: { object: MoveObject; work: WorkObject }[] = [];
  readonly #disposals: Disposal[] = [];

  constructor(environment: CallEnvironment, target: MoveCallTarget, definition: NativeFunction) {
    this.#environment = environment;
    this.#target = target;
    this.#definition = definition;
  }

  /** `values` are the arguments in parameter order. Throws `ExecutionFailure`. */
  run(values: readonly Value[]): Value[] {
    const args = this.#definition.params.map((param, index) => this.#decode(param, values[index]!, index));
    let returned: unknown[];
    try {
      returned = this.#definition.run(this.#context(), ...args) ?? [];
    } catch (error) {
      if (error instanceof MoveAbort) throw this.#aborted(error);
      throw error;
    }
    for (const { object, work, mutable } of this.#borrowed) {
      if (mutable) work.contents = this.#encode(work.type, object.value);
    }
    for (const disposal of this.#disposals) this.#dispose(disposal);
    const results = (this.#definition.returns ?? []).map((declared, index): Value => {
      if (declared.kind === 'pure') {
        const bytes = declared.bcs.serialize(returned[index]).toBytes();
        return { kind: 'pure', bytes, type: instantiate(declared.type, this.#target.typeArguments) };
      }
      const object = returned[index] as MoveObject;
      const type = instantiate(declared.type, this.#target.typeArguments);
      this.#put(object.id, type, this.#encode(type, object.value));
      return { kind: 'object', id: object.id };
    });
    this.#checkConsumed(results);
    return results;
  }

  #decode(param: Param, value: Value, index: number): unknown {
    if (param.kind === 'pure') return this.#decodePure(param, value, index);
    const wanted = instantiate(param.type, this.#target.typeArguments);
    if (value.kind === 'objects') {
      if (param.kind !== 'own' || wanted !== value.type) throw argumentFailure(index, 'TypeMismatch');
      return value.ids.map((id) => this.#decodeOwned(id, index));
    }
    if (value.kind === 'pure') throw argumentFailure(index, 'InvalidUsageOfPureArg');
    const work = this.#environment.workspace.load(value.id);
    if (!work) throw argumentFailure(index, 'InvalidValueUsage');
    if (work.type !== wanted) throw argumentFailure(index, 'TypeMismatch');
    if (param.kind === 'own') return this.#decodeOwned(value.id, index);
    const twice = this.#borrowed.find((other) => other.work === work);
    if (twice && (twice.mutable || param.mutable)) throw argumentFailure(index, 'InvalidValueUsage');
    const object: MoveObject = {
      id: work.id,
      type: work.type,
      value: this.#codec(work.type).parse(work.contents),
    };
    this.#borrowed.push({ object, work, mutable: param.mutable });
    return object;
  }

  #decodePure(param: Extract<Param, { kind: 'pure' }>, value: Value, index: number): unknown {
    if (value.kind !== 'pure') throw argumentFailure(index, 'TypeMismatch');
    const made = param.type && instantiate(param.type, this.#target.typeArguments);
    if (made && made !== value.type) throw argumentFailure(index, 'TypeMismatch');
    try {
      const decoded: unknown = param.bcs.parse(value.bytes);
      // Trailing or non-canonical bytes are rejected, as the VM does.
      if (Buffer.compare(param.bcs.serialize(decoded).toBytes(), value.bytes) === 0) return decoded;
    } catch {
      // Reported below: bytes that do not parse are not a value of that type.
    }
    throw argumentFailure(index, 'InvalidBCSBytes');
  }

  #decodeOwned(id: string, index: number): MoveObject {
    const work = this.#environment.workspace.load(id)!;
    if (this.#borrowed.some((other) => other.work === work))
      throw argumentFailure(index, 'InvalidValueUsage');
    const object: MoveObject = { id, type: work.type, value: this.#codec(work.type).parse(work.contents) };
    this.#owned.push({ object, work });
    return object;
  }

  #context(): NativeContext {
    const { sender, epoch, nowMs, workspace } = this.#environment;
    const dispose = (object: MoveObject, fate: Disposal['fate']) =>
      void this.#disposals.push({ object, fate });
    return {
      sender,
      epoch,
      nowMs,
      typeArguments: this.#target.typeArguments,
      newObjectId: () => workspace.newObjectId(),
      emit: (name, value) => void workspace.events.push(this.#event(name, value)),
      // The initial version of a shared object is only known when the transaction ends.
      share: (object) => dispose(object, { kind: 'shared', initialVersion: 0n }),
      transfer: (object, recipient) => dispose(object, { kind: 'address', address: recipient }),
      destroy: (object) => dispose(object, 'destroyed'),
      fields: {
        get: (parent, name) => workspace.getField(parent, name),
        set: (parent, name, value) => workspace.setField(parent, name, value),
        remove: (parent, name) => workspace.removeField(parent, name),
      },
    };
  }

  #event(name: string, value: unknown): ChainEvent {
    const { packageId, module } = this.#target;
    const type = instantiate(
      name.includes('::') ? `${packageId}::${name}` : `${packageId}::${module}::${name}`,
      this.#target.typeArguments,
    );
    return { packageId, module, sender: this.#environment.sender, type, contents: this.#encode(type, value) };
  }

  #dispose({ object, fate }: Disposal): void {
    const work = this.#environment.workspace.load(object.id);
    if (fate === 'destroyed') {
      if (work) work.deleted = true;
      return;
    }
    const put = this.#put(object.id, object.type, this.#encode(object.type, object.value));
    put.owner = fate;
  }

  /** Writes an object's bytes. Creates the object if it does not exist. */
  #put(id: string, type: string, contents: Uint8Array): WorkObject {
    const known = this.#environment.workspace.load(id);
    if (!known) return this.#environment.workspace.create(id, instantiate(type, []), contents);
    known.contents = contents;
    known.owner = undefined;
    return known;
  }

  /**
   * Checks that every object passed by value was used. Move's type system guarantees this; native code must do the
   * same.
   */
  #checkConsumed(results: readonly Value[]): void {
    for (const { work } of this.#owned) {
      const disposed = this.#disposals.some(({ object }) => object.id === work.id);
      const isReturned = results.some((value) => value.kind === 'object' && value.id === work.id);
      if (!disposed && !isReturned)
        throw new Error(`${this.#target.functionName} lost the object ${work.id}`);
    }
  }

  #aborted(abort: MoveAbort): ExecutionFailure {
    const at = abort.module.split('::');
    const packageId = at.length === 2 ? at[0]! : this.#target.packageId;
    const module = at.at(-1)!;
    const { code, functionName } = abort;
    return new ExecutionFailure(
      { kind: 'MoveAbort', code, packageId, module, functionName },
      `Move abort ${code} in ${packageId}::${module}::${functionName}`,
    );
  }

  #codec(type: string): AnyBcs {
    const codec = this.#environment.modules.codec(type);
    if (!codec) throw new Error(`no codec for ${type}`);
    return codec;
  }

  #encode(type: string, value: unknown): Uint8Array {
    return this.#codec(instantiate(type, [])).serialize(value).toBytes();
  }
}
