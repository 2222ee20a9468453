import { factorBytes } from '../kernel/transform-code.ts';
import { multiplesOfBasis } from './cantor-field.ts';

const nibblesOfElement = 4;

/**
 * For the even factors below `limit`: the products with all 16 values of each of the four nibbles of an element,
 * lowest nibble first. First the low bytes of the products for the four nibbles, 16 bytes each, then the high bytes.
 */
export function factorTables(limit: number): Uint8Array {
  const tables = new Uint8Array((limit / 2) * factorBytes);
  for (let factor = 0; factor < limit; factor += 2) {
    const multiples = multiplesOfBasis(factor);
    const start = (factor / 2) * factorBytes;
    for (let nibble = 0; nibble < nibblesOfElement; nibble++) {
      for (let value = 0; value < 16; value++) {
        let product = 0;
        for (let bit = 0; bit < 4; bit++) if ((value >> bit) & 1) product ^= multiples[4 * nibble + bit]!;
        tables[start + 16 * nibble + value] = product & 0xff;
        tables[start + factorBytes / 2 + 16 * nibble + value] = product >> 8;
      }
    }
  }
  return tables;
}
