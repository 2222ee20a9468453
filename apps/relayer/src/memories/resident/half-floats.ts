/** The values of a vector rounded to 16-bit floats (IEEE 754 binary16), as Postgres rounds those of a question. */
export function asStored(vector: Float32Array): Float32Array {
  const bits = new Uint32Array(vector.buffer, vector.byteOffset, vector.length);
  const rounded = new Float32Array(vector.length);
  for (let i = 0; i < rounded.length; i++) rounded[i] = floatOf(halfOf(bits[i]!));
  return rounded;
}

/** The bits of the nearest 16-bit float of a 32-bit float between −1 and 1, also by its bits; ties go to even. */
function halfOf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 112;
  // Numbers below the smallest one with full precision lose more bits
  const dropped = exponent > 0 ? 13 : 14 - exponent;
  if (dropped > 24) return sign;
  const fraction = exponent > 0 ? (exponent << 23) | (bits & 0x7fffff) : (bits & 0x7fffff) | 0x800000;
  const half = fraction >>> dropped;
  const rest = fraction & ((1 << dropped) - 1);
  const tie = 1 << (dropped - 1);
  return sign | (rest > tie || (rest === tie && half & 1) ? half + 1 : half);
}

function floatOf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
