import { blockBytes, digestBytes, stateBytes } from '../kernel/hash-code.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Arena } from './arena.ts';
import { writeInitialStates } from './initial-states.ts';
import type { LeafHasher } from './leaf-hasher.ts';

const symbolBytes = 2;
const symbols = 2 ** 16;
const batch = 256;

export const digestTableBytes = symbols * digestBytes;

/** Computes the leaf digests of all symbols of two bytes, in order of their value. `work` is free memory. */
export function writeDigestTable(kernel: Kernel, table: number, work: number): void {
  const messages = work;
  const states = messages + batch * blockBytes;
  kernel.reserve(states + batch * stateBytes);
  const bytes = kernel.bytes();
  bytes.fill(0, messages, states);
  for (let first = 0; first < symbols; first += batch) {
    for (let i = 0; i < batch; i++) {
      bytes[messages + i * blockBytes + 1] = (first + i) & 0xff;
      bytes[messages + i * blockBytes + 2] = (first + i) >> 8;
    }
    writeInitialStates(bytes, states, batch);
    kernel.absorb(messages, blockBytes, states, batch, 1, 0, 1 + symbolBytes);
    kernel.copyPieces(table + first * digestBytes, digestBytes, states, stateBytes, digestBytes, batch);
  }
}

/** A hasher for symbols of two bytes, which looks up digests in a table. */
export function createTableHasher(
  kernel: Kernel,
  nShards: number,
  together: number,
  table: number,
  arena: Arena,
): LeafHasher {
  const columns = { at: arena.take(together * nShards * symbolBytes), stride: symbolBytes };
  const digests = [arena.take(nShards * digestBytes), arena.take(nShards * digestBytes)] as const;
  let taken = 0;
  return {
    beginPass() {
      kernel.bytes().fill(0, columns.at, columns.at + together * nShards * symbolBytes);
      return columns;
    },
    take(_pass, _column, place) {
      const at = digests[taken++ % 2 === 0 ? 0 : 1];
      kernel.gatherDigests(columns.at + place * nShards * symbolBytes, table, at, nShards);
      return { at, stride: digestBytes };
    },
  };
}
