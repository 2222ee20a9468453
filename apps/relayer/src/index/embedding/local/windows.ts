import type { Tokenizer } from './tokenizer.ts';

/**
 * The token sequences of a text, each with the prefix and at most `maxTokens` ids. A text that fits is one sequence; a
 * longer one is cut into windows of nearly equal length, so that no part of it is lost.
 */
export function windowsOf(tokenizer: Tokenizer, prefix: string, text: string, maxTokens: number): number[][] {
  const { start, end } = tokenizer;
  const before = tokenizer.idsOf(prefix);
  const ids = tokenizer.idsOf(text);
  const room = Math.max(1, maxTokens - 2 - before.length);
  const count = Math.max(1, Math.ceil(ids.length / room));
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * ids.length) / count);
    const to = Math.floor(((i + 1) * ids.length) / count);
    return [start, ...before, ...ids.slice(from, to), end];
  });
}

/** The mean of consecutive rows of `dimension` numbers. */
export function meanOfRows(values: Float32Array, dimension: number): Float32Array {
  const rows = values.length / dimension;
  if (!Number.isInteger(rows) || rows < 1)
    throw new Error(`the model returned ${values.length} numbers, not rows of ${dimension}`);
  const mean = new Float32Array(dimension);
  for (let i = 0; i < values.length; i++) mean[i % dimension]! += values[i]! / rows;
  return mean;
}
