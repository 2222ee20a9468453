import { blockCount } from '../storage/block-digests.ts';

/** What is known of the blocks of a blob. */
export interface KnownContent {
  digests: Buffer;
  /** 1 for each block that was found right */
  isVerified: Uint8Array;
}

interface Entry extends KnownContent {
  /** Of the file whose blocks were verified */
  stamp: string | undefined;
  /** When they have to be verified again, in milliseconds since 1970 */
  expiresAtMs: number;
}

/** Enough for some 50 GiB of blobs, at 33 bytes for each block of 256 KiB and a few hundred for each blob. */
const capacityBytes = 8 * 1024 * 1024;
const bytesPerBlob = 400;
/** How long a block that was found right counts as such while its file does not change. */
const verifiedForMs = 600_000;

/**
 * Block digests of the blobs that were read last, and which of their blocks were found right. The latter holds for
 * one state of a file: whatever is written to it through the file system changes its stamp.
 */
export class KnownBlocks {
  /** By blob id, the least recently used first */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** What is known of a blob whose file has this stamp now. What is found right later is to be noted there. */
  async of(
    blob: { blobId: string; size: number },
    stamp: string | undefined,
    readDigests: () => Promise<Buffer>,
  ): Promise<KnownContent> {
    const { blobId, size } = blob;
    const digests = this.#entries.get(blobId)?.digests ?? (await readDigests());
    const before = this.#entries.get(blobId);
    if (before !== undefined) this.#drop(blobId, before);
    const holds = before?.stamp !== undefined && before.stamp === stamp && before.expiresAtMs > Date.now();
    const entry = holds
      ? before
      : {
          digests,
          isVerified: new Uint8Array(blockCount(size)),
          stamp,
          expiresAtMs: Date.now() + verifiedForMs,
        };
    this.#entries.set(blobId, entry);
    this.#bytes += weightOf(entry);
    for (const [oldest, least] of this.#entries) {
      if (this.#bytes <= capacityBytes) break;
      this.#drop(oldest, least);
    }
    return entry;
  }

  #drop(blobId: string, entry: Entry): void {
    this.#entries.delete(blobId);
    this.#bytes -= weightOf(entry);
  }
}

function weightOf({ digests, isVerified }: Entry): number {
  return bytesPerBlob + digests.length + isVerified.length;
}
