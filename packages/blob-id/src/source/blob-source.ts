/** Bytes that can be read anywhere and more than once. */
export interface BlobSource {
  /** Bytes */
  size: number;
  /** Fills all of `into` with what is at `offset`, or throws. `into` is valid during the call only. */
  read(offset: number, into: Uint8Array): void;
}

export const bytesSource = (bytes: Uint8Array): BlobSource => ({
  size: bytes.byteLength,
  read: (offset, into) => into.set(bytes.subarray(offset, offset + into.byteLength)),
});
