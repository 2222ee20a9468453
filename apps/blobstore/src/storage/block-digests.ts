import { createHash, type Hash, hash } from 'node:crypto';

/**
 * A blob is verified block by block while it is sent, so that its reader neither waits for the whole of it to be
 * hashed nor gets a byte that was not. Its block digests are the SHA-256 of each block, one after another.
 */
export const blockBytes = 256 * 1024;

export const digestBytes = 32;

/** How many blocks a blob has; an empty one has a single empty block. */
export function blockCount(size: number): number {
  return Math.max(1, Math.ceil(size / blockBytes));
}

export interface BlockHasher {
  update(chunk: Uint8Array): void;
  /** The digests of all blocks; ends the hashing. */
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

/** The digests in what `sealBlockDigests` made for this blob; undefined when it is anything else. */
export function openBlockDigests(blob: { size: number; digest: string }, sealed: Buffer): Buffer | undefined {
  const length = blockCount(blob.size) * digestBytes;
  const digests = sealed.subarray(0, length);
  return sealed.subarray(length).equals(sealOf(blob.digest, digests)) ? digests : undefined;
}
