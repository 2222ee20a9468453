/**
 * Reusable buffers for short reads: memory outside V8 triggers garbage collection, and a new mebibyte per read took a
 * third of the processor time of reads.
 */

/** Size of the buffers, which is the longest short read */
export const readBufferBytes = 1024 * 1024;
/**
 * Shorter reads get memory of their own size, because many concurrent ones would otherwise hold far more than they
 * need.
 */
const pooledFromBytes = 256 * 1024;
/** How many unused buffers are kept */
const mostUnused = 16;

const unused: Buffer[] = [];

/** Bytes in a buffer that is reused after `release`. Without that call it is left to the garbage collector. */
export interface HeldBytes {
  bytes: Buffer;
  /** Call this once, when nothing reads the bytes anymore. */
  release(): void;
}

/** A buffer of at least `length` bytes, at most `readBufferBytes`. */
export function takeBuffer(length: number): HeldBytes {
  if (length < pooledFromBytes) return { bytes: Buffer.allocUnsafeSlow(length), release: () => undefined };
  const buffer = unused.pop() ?? Buffer.allocUnsafeSlow(readBufferBytes);
  return {
    bytes: buffer,
    release() {
      if (unused.length < mostUnused) unused.push(buffer);
    },
  };
}
