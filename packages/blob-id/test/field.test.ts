import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factorLimit, stripCodeFor } from '../src/encode/strip-code.ts';
import { multiplesOfBasis } from '../src/field/cantor-field.ts';
import { factorTables } from '../src/field/factor-tables.ts';
import { heapStart } from '../src/kernel/hash-code.ts';
import { createKernel } from '../src/kernel/kernel.ts';
import { factorBytes, positionBytes } from '../src/kernel/transform-code.ts';
import { content } from './reference.ts';

const element = fc.nat({ max: 0xffff });

const multiply = (left: number, right: number): number =>
  multiplesOfBasis(left).reduce((sum, multiple, bit) => ((right >> bit) & 1 ? sum ^ multiple : sum), 0);

test('products commute, associate and distribute, and only zero maps everything to zero', () => {
  fc.assert(
    fc.property(element, element, element, (a, b, c) => {
      expect(multiply(a, b)).toBe(multiply(b, a));
      expect(multiply(multiply(a, b), c)).toBe(multiply(a, multiply(b, c)));
      expect(multiply(a, b ^ c)).toBe(multiply(a, b) ^ multiply(a, c));
      expect(multiply(a, 1)).toBe(a);
      expect(multiply(a, b) === 0).toBe(a === 0 || b === 0);
    }),
  );
});

test('the basis is a Cantor basis, so that a subspace polynomial is a shift', () => {
  for (let i = 1; i < 16; i++) {
    const beta = 1 << i;
    expect(multiply(beta, beta) ^ beta).toBe(1 << (i - 1));
  }
});

test('the tables of a factor hold its product with every nibble', () => {
  const tables = factorTables(512);
  fc.assert(
    fc.property(fc.nat({ max: 255 }), element, (half, value) => {
      const at = half * factorBytes;
      let product = 0;
      for (let nibble = 0; nibble < 4; nibble++) {
        const index = 16 * nibble + ((value >> (4 * nibble)) & 15);
        product ^= tables[at + index]! | (tables[at + 64 + index]! << 8);
      }
      expect(product).toBe(multiply(2 * half, value));
    }),
  );
});

test('interpolation inverts evaluation at any points', () => {
  const kernel = createKernel();
  const code = stripCodeFor(334, 666);
  const factors = factorTables(factorLimit(code));
  const strip = heapStart + factors.byteLength;
  kernel.reserve(strip + 512 * positionBytes);
  kernel.bytes().set(factors, heapStart);
  for (let layers = 1; layers <= 9; layers++) {
    const points = 2 ** layers;
    const before = content(points * positionBytes, layers);
    for (const delta of [0, points, 2 * points]) {
      kernel.bytes().set(before, strip);
      kernel.evaluate(strip, layers, delta, points, heapStart);
      kernel.interpolate(strip, layers, delta, points, heapStart);
      const after = kernel.bytes().subarray(strip, strip + before.byteLength);
      expect(Buffer.compare(after, before)).toBe(0);
    }
  }
});

test('the first values of an evaluation do not depend on the number of values', () => {
  const kernel = createKernel();
  const factors = factorTables(factorLimit(stripCodeFor(334, 666)));
  const strip = heapStart + factors.byteLength;
  kernel.reserve(strip + 512 * positionBytes);
  kernel.bytes().set(factors, heapStart);
  const coefficients = content(512 * positionBytes);
  const evaluate = (used: number): Uint8Array => {
    kernel.bytes().set(coefficients, strip);
    kernel.evaluate(strip, 9, 512, used, heapStart);
    return kernel.bytes().slice(strip, strip + used * positionBytes);
  };
  const all = evaluate(512);
  for (const used of [1, 2, 154, 333, 511])
    expect(Buffer.compare(evaluate(used), all.subarray(0, used * positionBytes))).toBe(0);
});
