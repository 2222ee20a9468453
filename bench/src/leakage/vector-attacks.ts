import { dot, solve } from './linear.ts';
import type { Row } from './rows.ts';

/**
 * Cosine between the vectors of unknown rows and their reconstructions by an attacker who knows some texts and their
 * rows. The map preserves inner products, so the products with the known rows give the projection of the vector onto the
 * known vectors.
 */
export function reconstruction(known: readonly Row[], unknown: readonly Row[], isNoisy: boolean): number {
  const gram = known.map((one) => known.map((other) => dot(one.stored, other.stored)));
  const products = unknown.map((row) => known.map((each) => dot(each.stored, row.stored)));
  let best = 0;
  // A ridge suppresses the noise in small components; the attacker uses the best one
  for (const ridge of isNoisy ? [0.1, 0.5, 2] : [1e-6]) {
    const ridged = gram.map((row, i) => row.map((value, j) => value + (i === j ? ridge : 0)));
    const solved = solve(ridged, products);
    let sum = 0;
    for (const [i, weights] of solved.entries()) {
      const guess = new Float32Array(unknown[i]!.plain.length);
      for (const [k, weight] of weights.entries()) {
        const { plain } = known[k]!;
        for (let d = 0; d < guess.length; d++) guess[d]! += weight * plain[d]!;
      }
      const length = Math.sqrt(dot(guess, guess));
      if (length > 0) sum += dot(guess, unknown[i]!.plain) / length;
    }
    best = Math.max(best, sum / unknown.length);
  }
  return best;
}

/**
 * Share of unknown rows whose text an attacker finds in a list of guesses, as the best or one of equally good
 * matches: the inner products with the known rows are compared with those of the guesses.
 */
export function guessing(
  known: readonly Row[],
  unknown: readonly Row[],
  guesses: readonly Float32Array[],
): number {
  const predicted = guesses.map((guess) => known.map((row) => dot(guess, row.plain)));
  let found = 0;
  for (const row of unknown) {
    const seen = known.map((each) => dot(each.stored, row.stored));
    const errors = predicted.map((products) =>
      products.reduce((sum, product, k) => sum + (product - seen[k]!) ** 2, 0),
    );
    const least = Math.min(...errors);
    // Equal up to rounding
    const fitting = errors.flatMap((error, i) => (error <= least + 1e-10 ? [i] : []));
    if (fitting.some((i) => guesses[i] === row.plain)) found += 1 / fitting.length;
  }
  return found / unknown.length;
}
