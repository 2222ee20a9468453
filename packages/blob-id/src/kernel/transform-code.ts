/**
 * The additive FFT of Lin, Chung and Han over GF(2^16) ("Novel Polynomial Basis and Its Application to Reed-Solomon
 * Erasure Codes", 2014), on a strip with 64 bytes per position: the low bytes of 32 elements, followed by their
 * high bytes.
 *
 * In a Cantor basis the factor of a butterfly is its position shifted right by its layer, as an element
 * (`field/cantor-field.ts`). A factor is always even; `tables` holds 128 bytes for each even one
 * (`field/factor-tables.ts`).
 */
import {
  add,
  and128,
  bytes128,
  type Code,
  doWhile,
  increase,
  int,
  type Local,
  lessThan,
  load128,
  mul,
  seq,
  set,
  shiftRight64x2,
  shl,
  shr,
  store128,
  sub,
  swizzle,
  when,
  xor128,
} from '@memrelay/wasm/instructions';
import { defineFunction, type Scope } from '@memrelay/wasm/module';

/** Bytes of one position of a strip. */
export const positionBytes = 64;
/** Elements of one position of a strip. */
export const stripLanes = 32;
/** Bytes of the tables of one factor. */
export const factorBytes = 128;

/** Offsets of the vectors of low bytes in a position; those of the high bytes are 32 further. */
const lowOffsets = [0, stripLanes / 2] as const;
const vectorOffsets = lowOffsets.flatMap((offset) => [offset, offset + stripLanes]);

const addInto = (to: Local, from: Local): Code =>
  seq(
    ...vectorOffsets.map((offset) =>
      store128(to, xor128(load128(to, offset), load128(from, offset)), offset),
    ),
  );

/** The locals of a butterfly between two positions. */
interface Butterfly {
  tables: Local[];
  nibbleMask: Local;
  nibbles: Local[];
  xLow: Local;
  xHigh: Local;
  yLow: Local;
  yHigh: Local;
}

function takeButterfly(scope: Scope): Butterfly {
  const vectors = (count: number): Local[] => Array.from({ length: count }, () => scope.vector());
  return {
    tables: vectors(8),
    nibbleMask: scope.vector(),
    nibbles: vectors(4),
    xLow: scope.vector(),
    xHigh: scope.vector(),
    yLow: scope.vector(),
    yHigh: scope.vector(),
  };
}

/** Reads the tables of a factor. */
const prepare = ({ tables, nibbleMask }: Butterfly, table: Local): Code =>
  seq(
    set(nibbleMask, bytes128(Array.from({ length: 16 }, () => 0x0f))),
    ...tables.map((target, i) => set(target, load128(table, 16 * i))),
  );

/** x += factor · y, for elements in locals: a look-up for each nibble of y. */
function multiplyAdd({ tables, nibbleMask, nibbles, xLow, xHigh, yLow, yHigh }: Butterfly): Code {
  const lower = (bytes: Local): Code => and128(bytes, nibbleMask);
  const upper = (bytes: Local): Code => and128(shiftRight64x2(bytes, 4), nibbleMask);
  const values = [lower(yLow), upper(yLow), lower(yHigh), upper(yHigh)];
  const withProduct = (sum: Code, firstTable: number): Code =>
    nibbles.reduce<Code>((so, nibble, i) => xor128(so, swizzle(tables[firstTable + i]!, nibble)), sum);
  return seq(
    ...nibbles.map((nibble, i) => set(nibble, values[i]!)),
    set(xLow, withProduct(xLow, 0)),
    set(xHigh, withProduct(xHigh, 4)),
  );
}

/** Forward: x += factor · y, then y += x. Inverse: y += x, then x += factor · y. */
function multipliedCode(butterfly: Butterfly, direction: Direction, x: Local, y: Local): Code {
  const { xLow, xHigh, yLow, yHigh } = butterfly;
  const addX = seq(set(yLow, xor128(yLow, xLow)), set(yHigh, xor128(yHigh, xHigh)));
  const steps = [multiplyAdd(butterfly), addX];
  return seq(
    ...lowOffsets.map((offset) =>
      seq(
        set(xLow, load128(x, offset)),
        set(xHigh, load128(x, offset + stripLanes)),
        set(yLow, load128(y, offset)),
        set(yHigh, load128(y, offset + stripLanes)),
        ...(direction === 'forward' ? steps : steps.toReversed()),
        store128(x, xLow, offset),
        store128(x, xHigh, offset + stripLanes),
        store128(y, yLow, offset),
        store128(y, yHigh, offset + stripLanes),
      ),
    ),
  );
}

type Direction = 'forward' | 'inverse';

/** All butterflies of one layer among the first `used` positions. */
function layerCode(
  scope: Scope,
  direction: Direction,
  { strip, layer, delta, used, tables }: Record<'strip' | 'layer' | 'delta' | 'used' | 'tables', Local>,
): Code {
  const butterfly = takeButterfly(scope);
  const block = scope.int();
  const factor = scope.int();
  const distance = scope.int();
  const x = scope.int();
  const y = scope.int();
  const end = scope.int();
  const table = scope.int();
  const all = (body: Code): Code =>
    doWhile(seq(body, increase(x, int(positionBytes)), increase(y, int(positionBytes))), lessThan(x, end));
  return seq(
    set(distance, shl(int(positionBytes), layer)),
    set(block, int(0)),
    doWhile(
      seq(
        set(x, add(strip, mul(block, int(positionBytes)))),
        set(y, add(x, distance)),
        set(end, y),
        set(factor, shr(add(block, delta), layer)),
        when(
          factor,
          seq(
            set(table, add(tables, mul(factor, int(factorBytes / 2)))),
            prepare(butterfly, table),
            all(multipliedCode(butterfly, direction, x, y)),
          ),
          all(addInto(y, x)),
        ),
        increase(block, shl(int(2), layer)),
      ),
      lessThan(block, used),
    ),
  );
}

/**
 * `evaluate(strip, layers, delta, used, tables)`: from coefficients to the values at the points `delta … delta +
 * used - 1`. The strip has 2^layers positions; beyond `used` the results are undefined.
 */
export const evaluate = defineFunction('evaluate', 5, (scope, strip, layers, delta, used, tables) => {
  const layer = scope.int();
  const parts = { strip: strip!, layer, delta: delta!, used: used!, tables: tables! };
  return seq(
    set(layer, layers!),
    doWhile(seq(set(layer, sub(layer, int(1))), layerCode(scope, 'forward', parts)), layer),
  );
});

/**
 * `interpolate(strip, layers, delta, used, tables)`: the inverse of `evaluate`. The values from `used` on must be
 * zero in the strip.
 */
export const interpolate = defineFunction('interpolate', 5, (scope, strip, layers, delta, used, tables) => {
  const layer = scope.int();
  const parts = { strip: strip!, layer, delta: delta!, used: used!, tables: tables! };
  return seq(
    set(layer, int(0)),
    doWhile(seq(layerCode(scope, 'inverse', parts), increase(layer, int(1))), lessThan(layer, layers!)),
  );
});

/** `addStrip(to, from, positions)`: adds one strip to another. */
export const addStrip = defineFunction('addStrip', 3, (scope, to, from, positions) => {
  const end = scope.int();
  return seq(
    set(end, add(to!, mul(positions!, int(positionBytes)))),
    doWhile(
      seq(addInto(to!, from!), increase(to!, int(positionBytes)), increase(from!, int(positionBytes))),
      lessThan(to!, end),
    ),
  );
});
