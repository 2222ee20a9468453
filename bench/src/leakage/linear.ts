export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return sum;
}

/** Solutions of `matrix · x = right` for each right side; the matrix is symmetric and positive definite (Cholesky). */
export function solve(matrix: readonly (readonly number[])[], rights: readonly number[][]): number[][] {
  const size = matrix.length;
  const lower: number[][] = [];
  for (let i = 0; i < size; i++) {
    const row = new Array<number>(i + 1).fill(0);
    lower.push(row);
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i]![j]!;
      for (let k = 0; k < j; k++) sum -= row[k]! * lower[j]![k]!;
      row[j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / lower[j]![j]!;
    }
  }
  return rights.map((right) => {
    const x = [...right];
    for (let i = 0; i < size; i++) {
      for (let k = 0; k < i; k++) x[i]! -= lower[i]![k]! * x[k]!;
      x[i]! /= lower[i]![i]!;
    }
    for (let i = size - 1; i >= 0; i--) {
      for (let k = i + 1; k < size; k++) x[i]! -= lower[k]![i]! * x[k]!;
      x[i]! /= lower[i]![i]!;
    }
    return x;
  });
}
