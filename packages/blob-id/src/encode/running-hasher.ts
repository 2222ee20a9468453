import { blockBytes, stateBytes } from '../kernel/hash-code.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Arena } from './arena.ts';
import type { BlobPlan, Pass } from './blob-plan.ts';
import { writeInitialStates } from './initial-states.ts';
import type { LeafHasher } from './leaf-hasher.ts';
import { repeatFirst, withoutRepeats } from './ranges.ts';

/** Bytes from one symbol of a column to the next: a message of whole blocks, with one byte before the symbol. */
export const messageBytes = (pass: Pass): number => Math.ceil((1 + pass.bytes) / blockBytes) * blockBytes;

/**
 * A hasher for symbols of any length. With several passes, the unfinished hash of every symbol is kept between them
 * (65 bytes each: the state, and the last byte, which belongs to the next block because of the leading 0x00).
 */
export function createRunningHasher(
  kernel: Kernel,
  { matrix, passes, symbolBytes, zeroRows }: BlobPlan,
  together: number,
  arena: Arena,
): LeafHasher {
  const { nShards } = matrix;
  const ranges = withoutRepeats(nShards, zeroRows);
  const many = passes.length > 1;
  const columnsBytes = together * nShards * Math.max(...passes.map(messageBytes));
  const columnsAt = arena.take(columnsBytes);
  const columnStates = nShards * stateBytes;
  const statesAt = arena.take((many ? nShards : 2) * columnStates);
  const lastBytesAt = arena.take(many ? nShards * nShards : 0);
  let taken = 0;

  return {
    beginPass(pass) {
      kernel.bytes().fill(0, columnsAt, columnsAt + columnsBytes);
      return { at: columnsAt + 1, stride: messageBytes(pass) };
    },
    take(pass, column, place) {
      const bytes = kernel.bytes();
      const stride = messageBytes(pass);
      const messages = columnsAt + place * nShards * stride;
      const states = statesAt + (many ? column : taken++ % 2) * columnStates;
      const lastBytes = lastBytesAt + column * nShards;
      if (pass.offset === 0) writeInitialStates(bytes, states, nShards);
      else for (let i = 0; i < nShards; i++) bytes[messages + i * stride] = bytes[lastBytes + i]!;
      const blocks = pass.last ? stride / blockBytes : pass.bytes / blockBytes;
      const total = pass.last ? 1 + symbolBytes : 0;
      for (const { start, end } of ranges)
        kernel.absorb(
          messages + start * stride,
          stride,
          states + start * stateBytes,
          end - start,
          blocks,
          pass.offset,
          total,
        );
      if (pass.last) {
        repeatFirst(bytes, states, stateBytes, zeroRows);
        return { at: states, stride: stateBytes };
      }
      for (let i = 0; i < nShards; i++) bytes[lastBytes + i] = bytes[messages + i * stride + pass.bytes]!;
      return undefined;
    },
  };
}
