/** Bytes that can be read at any position and repeatedly. */
export interface BlobSource {
  /** Bytes */
  size: number;
  /** Fills all of `into` with the bytes at `offset`, or throws. `into` is valid only during the call. */
  read(offset: number, into: Uint8Array): void;
}

export const bytesSource = (bytes: Uint8Array): BlobSource => ({
  size: bytes.byteLength,
  read: (offset, into) => into.set(bytes.subarray(offset, offset + into.byteLength)),
});
