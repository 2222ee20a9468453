import type { Kernel } from '../kernel/kernel.ts';
import { positionBytes } from '../kernel/transform-code.ts';

/**
 * The Reed-Solomon code of reed-solomon-simd 3.1 for fixed counts, on strips (see `kernel/transform-code.ts`).
 * The counts determine which of its two forms is used:
 * - high rate: the originals lie at the points from `chunk` on and the parity at 0, with `chunk` the parity count
 *   rounded up to a power of two;
 * - low rate: the originals lie at 0 and the parity from `chunk` on, with `chunk` the original count rounded up.
 */
export interface StripCode {
  originals: number;
  parity: number;
  layers: number;
  highRate: boolean;
  /** Positions that the strip needs */
  positions: number;
}

export function stripCodeFor(originals: number, parity: number): StripCode {
  const originalLayers = layersFor(originals);
  const parityLayers = layersFor(parity);
  const highRate = originalLayers > parityLayers || (originalLayers === parityLayers && originals <= parity);
  const layers = highRate ? parityLayers : originalLayers;
  const chunks = highRate ? Math.ceil(originals / 2 ** layers) : 1 + Math.ceil(parity / 2 ** layers);
  return { originals, parity, layers, highRate, positions: chunks * 2 ** layers };
}

/**
 * Upper bound (exclusive) of the factors of the butterflies. The first layer does not shift, so its factors are the
 * points of the code.
 */
export function factorLimit({ layers, highRate, positions }: StripCode): number {
  return highRate ? positions + 2 ** layers : positions;
}

/** Logarithm of the next power of two. */
function layersFor(count: number): number {
  return Math.ceil(Math.log2(count));
}

/**
 * Replaces the originals at the first `used` positions of a strip by the parity. Returns the address of the parity.
 * Further originals count as zero, regardless of their content.
 */
export function encodeStrip(
  kernel: Kernel,
  code: StripCode,
  strip: number,
  used: number,
  tables: number,
): number {
  const { layers, parity, positions } = code;
  const chunk = 2 ** layers;
  const chunkBytes = chunk * positionBytes;
  const bytes = kernel.bytes();
  if (code.highRate) {
    const usedChunks = Math.ceil(used / chunk);
    bytes.fill(0, strip + used * positionBytes, strip + usedChunks * chunkBytes);
    for (let i = 0; i < usedChunks; i++) {
      const at = strip + i * chunkBytes;
      transform(kernel.interpolate, at, (i + 1) * chunk, Math.min(chunk, used - i * chunk));
      if (i > 0) kernel.addStrip(strip, at, chunk);
    }
    transform(kernel.evaluate, strip, 0, parity);
    return strip;
  }
  bytes.fill(0, strip + used * positionBytes, strip + chunkBytes);
  transform(kernel.interpolate, strip, 0, used);
  for (let point = chunk; point < positions; point += chunk) {
    const at = strip + point * positionBytes;
    bytes.copyWithin(at, strip, strip + chunkBytes);
    transform(kernel.evaluate, at, point, Math.min(chunk, parity - (point - chunk)));
  }
  return strip + chunkBytes;

  function transform(direction: Kernel['evaluate'], at: number, delta: number, count: number): void {
    if (layers > 0) direction(at, layers, delta, count, tables);
  }
}
