import { LRUCache } from 'lru-cache';
import { blockCount } from '../storage/block-digests.ts';

/** The digests of a blob's blocks, and which blocks have been verified. */
export interface KnownContent {
  digests: Buffer;
  /** 1 for each verified block */
  isVerified: Uint8Array;
}

interface Entry extends KnownContent {
  /** Stamp of the file whose blocks were verified */
  stamp: string | undefined;
  /** When they have to be verified again, in milliseconds since 1970 */
  expiresAtMs: number;
}

/** Enough for some 50 GiB of blobs, at 33 bytes for each block of 256 KiB and a few hundred for each blob. */
const capacityBytes = 8 * 1024 * 1024;
const bytesPerBlob = 400;
/** How long a block counts as verified while its file does not change. */
const verifiedForMs = 600_000;

/**
 * Block digests of recently read blobs, and which of their blocks were verified. A verification holds for one state
 * of a file: any write through the file system changes its stamp.
 */
export class KnownBlocks {
  readonly #entries = new LRUCache<string, Entry>({ maxSize: capacityBytes, sizeCalculation: weightOf });

  /** Returns the entry of a blob whose file has this stamp now. The caller marks blocks that it verifies in it. */
  async of(
    blob: { blobId: string; size: number },
    stamp: string | undefined,
    readDigests: () => Promise<Buffer>,
  ): Promise<KnownContent> {
    const { blobId, size } = blob;
    const digests = this.#entries.get(blobId)?.digests ?? (await readDigests());
    const before = this.#entries.get(blobId);
    const holds = before?.stamp !== undefined && before.stamp === stamp && before.expiresAtMs > Date.now();
    if (holds) return before;
    const entry = {
      digests,
      isVerified: new Uint8Array(blockCount(size)),
      stamp,
      expiresAtMs: Date.now() + verifiedForMs,
    };
    this.#entries.set(blobId, entry);
    return entry;
  }
}

function weightOf({ digests, isVerified }: Entry): number {
  return bytesPerBlob + digests.length + isVerified.length;
}
