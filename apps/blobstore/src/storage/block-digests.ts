import { createHash, type Hash, hash } from 'node:crypto';

/**
 * Size of a block in bytes. A blob is verified block by block while it is sent, so that a reader neither waits
 * until the whole blob is hashed nor receives an unverified byte. The block digests of a blob are the SHA-256 of
 * each block, one after another.
 */
export const blockBytes = 256 * 1024;

export const digestBytes = 32;

/** Number of blocks of a blob. An empty blob has one empty block. */
export function blockCount(size: number): number {
  return Math.max(1, Math.ceil(size / blockBytes));
}

export interface BlockHasher {
  update(chunk: Uint8Array): void;
  /** Ends the hashing and returns the digests of all blocks. */
  end(): Buffer;
}

/** Hashes the blocks of content that arrives in chunks of any size. */
export function createBlockHasher(): BlockHasher {
  const digests: Buffer[] = [];
  let block: Hash | undefined;
  let filled = 0;
  function endBlock(): void {
    digests.push((block ?? createHash('sha256')).digest());
    block = undefined;
    filled = 0;
  }
  return {
    update(chunk) {
      for (let rest = chunk; rest.byteLength > 0; ) {
        const part = rest.subarray(0, blockBytes - filled);
        block ??= createHash('sha256');
        block.update(part);
        filled += part.byteLength;
        rest = rest.subarray(part.byteLength);
        if (filled === blockBytes) endBlock();
      }
    },
    end() {
      if (filled > 0 || digests.length === 0) endBlock();
      return Buffer.concat(digests);
    },
  };
}

/** Binds the block digests to the blob with this digest (base64url), so that damaged or swapped ones are detected. */
function sealOf(digest: string, digests: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(digest, 'base64url'), digests]), 'buffer');
}

/** Stored block digests: the digests, followed by a seal over them. */
export function sealBlockDigests(digest: string, digests: Buffer): Buffer {
  return Buffer.concat([digests, sealOf(digest, digests)]);
}

/** The digests in the result of `sealBlockDigests` for this blob; undefined for any other bytes. */
export function openBlockDigests(blob: { size: number; digest: string }, sealed: Buffer): Buffer | undefined {
  const length = blockCount(blob.size) * digestBytes;
  const digests = sealed.subarray(0, length);
  return sealed.subarray(length).equals(sealOf(blob.digest, digests)) ? digests : undefined;
}
