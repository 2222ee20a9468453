/**
 * GF(2^16) as the Leopard family of Reed-Solomon codes writes its elements: bit i of a number represents the i-th
 * element of a Cantor basis, so that addition is XOR and the subspace polynomials of the additive FFT become
 * shifts. Constants: catid/leopard, reed-solomon-simd 3.1.
 */

/** x^16 + x^5 + x^3 + x^2 + 1, over which the basis below is written. */
const polynomial = 0x1002d;

/** β₀ = 1 and βᵢ² + βᵢ = βᵢ₋₁. */
const basis = [
  0x0001, 0xacca, 0x3c0e, 0x163e, 0xc582, 0xed2e, 0x914c, 0x4012, 0x6c98, 0x10d8, 0x6a72, 0xb900, 0xfdb8,
  0xfb34, 0xff38, 0x991e,
] as const;

/** Product of two polynomials modulo the field's. */
function multiplyPolynomials(left: number, right: number): number {
  let product = 0;
  let shifted = left;
  for (let rest = right; rest !== 0; rest >>>= 1) {
    if (rest & 1) product ^= shifted;
    shifted <<= 1;
    if (shifted & 0x10000) shifted ^= polynomial;
  }
  return product;
}

/**
 * The basis in echelon form: each vector has a different highest bit; `sum` are the basis elements that add up to
 * it.
 */
function echelonForm(): Map<number, { vector: number; sum: number }> {
  const rows = new Map<number, { vector: number; sum: number }>();
  basis.forEach((element, i) => {
    let vector: number = element;
    let sum = 1 << i;
    for (let bit = 15; bit >= 0; bit--) {
      if (((vector >> bit) & 1) === 0) continue;
      const row = rows.get(bit);
      if (row === undefined) {
        rows.set(bit, { vector, sum });
        break;
      }
      vector ^= row.vector;
      sum ^= row.sum;
    }
  });
  return rows;
}

/** `products[i][j]` is βᵢ · βⱼ in Cantor coordinates. */
function basisProducts(): number[][] {
  const rows = echelonForm();
  const coordinates = (polynomialForm: number): number => {
    let rest = polynomialForm;
    let sum = 0;
    for (let bit = 15; bit >= 0; bit--) {
      if (((rest >> bit) & 1) === 0) continue;
      const row = rows.get(bit)!;
      rest ^= row.vector;
      sum ^= row.sum;
    }
    return sum;
  };
  return basis.map((left) => basis.map((right) => coordinates(multiplyPolynomials(left, right))));
}

const products = basisProducts();

/** The products of `factor` with each basis element, from which those with all elements follow by XOR. */
export function multiplesOfBasis(factor: number): number[] {
  return basis.map((_, j) =>
    basis.reduce((sum, _, i) => ((factor >> i) & 1 ? sum ^ products[i]![j]! : sum), 0),
  );
}
