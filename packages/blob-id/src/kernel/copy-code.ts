/**
 * Moves symbols between a matrix and a strip. A symbol of 2h bytes is h low bytes and then h high bytes of its h
 * elements; in the strip the low bytes of several symbols lie side by side, and their high bytes 32 bytes further
 * (the layout that reed-solomon-simd gives the last, short chunk of a shard, and with h = 32 that of every other
 * chunk).
 */
import {
  add,
  type Code,
  copyMemory,
  doWhile,
  increase,
  int,
  type Local,
  load8,
  load16,
  load32,
  load64,
  load128,
  seq,
  set,
  store8,
  store16,
  store32,
  store64,
  store128,
  sub,
} from '@memrelay/wasm/instructions';
import { defineFunction, type WasmFunction } from '@memrelay/wasm/module';
import { positionBytes, stripLanes } from './transform-code.ts';

/** Units for copying h bytes: one unit is copied at the beginning and one at the end; they may overlap. */
const units = [
  { unit: 16, load: load128, store: store128 },
  { unit: 8, load: load64, store: store64 },
  { unit: 4, load: load32, store: store32 },
  { unit: 2, load: load16, store: store16 },
  { unit: 1, load: load8, store: store8 },
] as const;

type Unit = (typeof units)[number];

/** The size of unit that copies h bytes, 1 ≤ h ≤ 32, in at most two steps. */
export const unitFor = (h: number): number => units.find(({ unit }) => unit <= h)!.unit;

/** `<name>(strip, matrix, positionStride, symbolStride, positions, symbols, h)` */
function moveSymbols(
  name: string,
  { unit, load, store }: Unit,
  direction: 'intoStrip' | 'outOfStrip',
): WasmFunction {
  return defineFunction(
    `${name}${unit}`,
    7,
    (scope, strip, matrix, positionStride, symbolStride, positions, symbols, h) => {
      const inMatrix = scope.int();
      const inStrip = scope.int();
      const left = scope.int();
      const copy = (matrixAt: Code, stripAt: Code, stripOffset: number): Code =>
        direction === 'intoStrip'
          ? store(stripAt, load(matrixAt), stripOffset)
          : store(matrixAt, load(stripAt, stripOffset));
      const half = (matrixAt: Local, stripOffset: number): Code => {
        const toLast = (address: Code): Code => sub(add(address, h!), int(unit));
        const first = copy(matrixAt, inStrip, stripOffset);
        return unit === 1 ? first : seq(first, copy(toLast(matrixAt), toLast(inStrip), stripOffset));
      };
      return doWhile(
        seq(
          set(inMatrix, matrix!),
          set(inStrip, strip!),
          set(left, symbols!),
          doWhile(
            seq(
              half(inMatrix, 0),
              increase(inMatrix, h!),
              half(inMatrix, stripLanes),
              increase(inMatrix, sub(symbolStride!, h!)),
              increase(inStrip, h!),
              set(left, sub(left, int(1))),
            ),
            left,
          ),
          increase(matrix!, positionStride!),
          increase(strip!, int(positionBytes)),
          set(positions!, sub(positions!, int(1))),
        ),
        positions!,
      );
    },
  );
}

export const packFunctions = units.map((unit) => moveSymbols('pack', unit, 'intoStrip'));
export const unpackFunctions = units.map((unit) => moveSymbols('unpack', unit, 'outOfStrip'));

/** `copyPieces(to, toStride, from, fromStride, bytes, count)`: `count` ≥ 1 pieces of equal length. */
export const copyPieces = defineFunction('copyPieces', 6, (_, to, toStride, from, fromStride, bytes, count) =>
  doWhile(
    seq(
      copyMemory(to!, from!, bytes!),
      increase(to!, toStride!),
      increase(from!, fromStride!),
      set(count!, sub(count!, int(1))),
    ),
    count!,
  ),
);
