import { initialState } from '../kernel/blake2b-code.ts';
import { stateBytes } from '../kernel/hash-code.ts';
import { repeatFirst } from './ranges.ts';

const one = new Uint8Array(BigUint64Array.from(initialState).buffer);

/** Writes the state before the first block for `count` hashes. */
export function writeInitialStates(bytes: Uint8Array, at: number, count: number): void {
  bytes.set(one, at);
  repeatFirst(bytes, at, stateBytes, { start: 0, end: count });
}
