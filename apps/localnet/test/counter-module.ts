import { normalizeAddress } from '@memrelay/protocol/address';
import { bcs } from '@mysten/sui/bcs';
import { MoveAbort, type MoveObject, type NativeModule } from '../src/execution/native.ts';

export const counterPackage = normalizeAddress('0xc0');
export const counterType = `${counterPackage}::counter::Counter`;
/** Abort code for adding 0 */
export const nothingToAdd = 7;

type Counter = MoveObject<{ id: string; count: string }>;
const struct = bcs.struct('Counter', { id: bcs.Address, count: bcs.u64() });

/** The smallest module with every kind of object: shared and owned counters, with notes as dynamic fields. */
export const counterModule: NativeModule = {
  packageId: counterPackage,
  name: 'counter',
  structs: { Counter: struct, Added: bcs.struct('Added', { by: bcs.Address, count: bcs.u64() }) },
  functions: {
    create_shared: {
      params: [],
      visibility: 'public entry',
      run: (context) => {
        context.share(newCounter(context.newObjectId()));
        return undefined;
      },
    },
    create: {
      params: [],
      returns: [{ kind: 'own', type: counterType }],
      visibility: 'public',
      run: (context) => [newCounter(context.newObjectId())],
    },
    add: {
      params: [
        { kind: 'ref', type: counterType, mutable: true },
        { kind: 'pure', bcs: bcs.u64() },
      ],
      visibility: 'public entry',
      run: (context, counter: Counter, amount: string) => {
        if (amount === '0') throw new MoveAbort(nothingToAdd, 'counter', 'add');
        counter.value.count = (BigInt(counter.value.count) + BigInt(amount)).toString();
        context.emit('Added', { by: context.sender, count: counter.value.count });
        return undefined;
      },
    },
    count: {
      params: [{ kind: 'ref', type: counterType, mutable: false }],
      returns: [{ kind: 'pure', type: 'u64', bcs: bcs.u64() }],
      visibility: 'public',
      run: (_context, counter: Counter) => [counter.value.count],
    },
    note: {
      params: [
        { kind: 'ref', type: counterType, mutable: true },
        { kind: 'pure', bcs: bcs.string() },
        { kind: 'pure', bcs: bcs.u64() },
      ],
      visibility: 'public entry',
      run: (context, counter: Counter, name: string, value: string) => {
        const key = { type: '0x1::string::String', bytes: bcs.string().serialize(name).toBytes() };
        context.fields.set(counter.id, key, { type: 'u64', bytes: bcs.u64().serialize(value).toBytes() });
        return undefined;
      },
    },
    require_owner: {
      params: [
        { kind: 'pure', bcs: bcs.Address },
        { kind: 'ref', type: counterType, mutable: false },
      ],
      visibility: 'entry',
      run: (context, owner: string) => {
        if (context.sender !== owner) throw new MoveAbort(100, 'counter', 'require_owner');
        return undefined;
      },
    },
  },
};

function newCounter(id: string): Counter {
  return { id, type: counterType, value: { id, count: '0' } };
}
