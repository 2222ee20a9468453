import { toHex } from '@memrelay/protocol/bytes';
import { bcs } from '@mysten/sui/bcs';
import { deriveDynamicFieldID } from '@mysten/sui/utils';
import { blake2b256 } from './hash.ts';
import type { TypedBcs } from './native.ts';
import { clockType, fieldTypeOf, normalizeType } from './type-tags.ts';
import type { ChainEvent, ChainObject, Owner } from './types.ts';

export const clockId = `0x${'6'.padStart(64, '0')}`;

/** An object as seen by one transaction. */
export interface WorkObject {
  readonly id: string;
  type: string;
  contents: Uint8Array;
  /** Undefined while the value is passed between commands */
  owner: Owner | undefined;
  /** The object before the transaction; undefined if the transaction created it */
  readonly before: ChainObject | undefined;
  /** Whether this transaction created the object instead of only unwrapping it */
  readonly created: boolean;
  deleted: boolean;
}

/** Reads the state on which a transaction runs. */
export interface StateReader {
  object(id: string): ChainObject | undefined;
}

/** All changes of a transaction, kept separate from the state until they are committed or discarded. */
export class Workspace {
  readonly objects = new Map<string, WorkObject>();
  readonly events: ChainEvent[] = [];
  readonly #state: StateReader;
  readonly #digest: Uint8Array;
  readonly #nowMs: bigint;
  #idsCreated = 0n;

  /** `digest`: 32 bytes of the transaction, from which new ids are derived. */
  constructor(state: StateReader, digest: Uint8Array, nowMs: bigint) {
    this.#state = state;
    this.#digest = digest;
    this.#nowMs = nowMs;
  }

  /** Loads an object, from the state only once. Undefined if it does not exist or was deleted. */
  load(id: string): WorkObject | undefined {
    const known = this.objects.get(id);
    if (known) return known.deleted ? undefined : known;
    const before = this.#state.object(id);
    if (!before) return undefined;
    const work: WorkObject = {
      id,
      type: before.type,
      contents: id === clockId ? encodeClock(this.#nowMs) : before.contents,
      owner: before.owner,
      before,
      created: false,
      deleted: false,
    };
    this.objects.set(id, work);
    return work;
  }

  /** Adds an object that is not in the state: a new one, or one unwrapped from another object. */
  create(id: string, type: string, contents: Uint8Array): WorkObject {
    const earlier = this.objects.get(id);
    const work: WorkObject = {
      id,
      type,
      contents,
      owner: undefined,
      before: earlier?.before,
      created: this.#created.has(id),
      deleted: false,
    };
    this.objects.set(id, work);
    return work;
  }

  /** Sui's derivation: Blake2b-256 over 0xf1, the transaction digest and a counter. */
  newObjectId(): string {
    const counter = bcs
      .u64()
      .serialize(this.#idsCreated++)
      .toBytes();
    const id = `0x${toHex(blake2b256(new Uint8Array([0xf1]), this.#digest, counter))}`;
    this.#created.add(id);
    return id;
  }
  readonly #created = new Set<string>();

  getField(parent: string, name: TypedBcs): Uint8Array | undefined {
    const field = this.load(fieldId(parent, name));
    return field?.contents.slice(32 + name.bytes.length);
  }

  setField(parent: string, name: TypedBcs, value: TypedBcs): void {
    const id = fieldId(parent, name);
    const contents = fieldContents(id, name.bytes, value.bytes);
    const existing = this.load(id);
    if (existing) {
      existing.contents = contents;
      return;
    }
    this.#created.add(id);
    const field = this.create(id, fieldTypeOf(normalizeType(name.type), normalizeType(value.type)), contents);
    field.owner = { kind: 'object', parent };
  }

  removeField(parent: string, name: TypedBcs): void {
    const field = this.load(fieldId(parent, name));
    if (field) field.deleted = true;
  }
}

/** Object id of a dynamic field. */
export function fieldId(parent: string, name: TypedBcs): string {
  return deriveDynamicFieldID(parent, normalizeType(name.type), name.bytes);
}

/** BCS of `Field<Name, Value>`. */
export function fieldContents(id: string, name: Uint8Array, value: Uint8Array): Uint8Array {
  return new Uint8Array([...bcs.Address.serialize(id).toBytes(), ...name, ...value]);
}

const Clock = bcs.struct('Clock', { id: bcs.Address, timestamp_ms: bcs.u64() });

/** Contents of the clock object at a time. */
export function encodeClock(nowMs: bigint): Uint8Array {
  return Clock.serialize({ id: clockId, timestamp_ms: nowMs }).toBytes();
}

export const clockStruct = { type: clockType, bcs: Clock };
