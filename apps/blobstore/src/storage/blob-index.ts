import type { StoredBlob } from './storage.ts';

const hashBytes = 32;
/** Blob id, digest and root hash, then the size as a double. */
const recordBytes = 3 * hashBytes + 8;
const firstCapacity = 1024;
const none = -1;

/** Byte offsets, in a record, of the two hashes that can be looked up. */
const fields = { blobId: 0, digest: hashBytes } as const;
type Field = keyof typeof fields;

/** Records with the same last bits of a field, one linked to the next. */
interface Chains {
  heads: Int32Array;
  next: Int32Array;
}

function emptyChains(capacity: number): Chains {
  return { heads: new Int32Array(capacity).fill(none), next: new Int32Array(capacity).fill(none) };
}

/**
 * The stored blobs by id and by digest. Records are packed into one buffer, which takes about 130 bytes per blob;
 * objects and strings would take three times that.
 */
export class BlobIndex {
  #capacity = firstCapacity;
  #records = Buffer.alloc(firstCapacity * recordBytes);
  #chains = { blobId: emptyChains(firstCapacity), digest: emptyChains(firstCapacity) };
  /** Slots below this have been used */
  #used = 0;
  readonly #free: number[] = [];
  #totalBytes = 0;

  /** Sum of the sizes of all blobs. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  find(field: Field, value: string): StoredBlob | undefined {
    const slot = this.#slotOf(field, Buffer.from(value, 'base64url'));
    return slot === none ? undefined : this.#read(slot);
  }

  /** Replaces an existing entry of the same blob. */
  set({ blobId, digest, rootHash, size }: StoredBlob): void {
    this.delete(blobId);
    if (this.#free.length === 0 && this.#used === this.#capacity) this.#grow();
    const slot = this.#free.pop() ?? this.#used++;
    const start = slot * recordBytes;
    this.#records.write(blobId, start, 'base64url');
    this.#records.write(digest, start + hashBytes, 'base64url');
    this.#records.write(rootHash, start + 2 * hashBytes, 'base64url');
    this.#records.writeDoubleLE(size, start + 3 * hashBytes);
    this.#link(slot);
    this.#totalBytes += size;
  }

  delete(blobId: string): void {
    const slot = this.#slotOf('blobId', Buffer.from(blobId, 'base64url'));
    if (slot === none) return;
    this.#totalBytes -= this.#read(slot).size;
    for (const field of ['blobId', 'digest'] as const) this.#unlink(field, slot);
    this.#records.fill(0, slot * recordBytes, (slot + 1) * recordBytes);
    this.#free.push(slot);
  }

  /** The ids of all blobs. Blobs that are set or deleted during the iteration may or may not be included. */
  *blobIds(): Generator<string> {
    for (let slot = 0; slot < this.#used; slot += 1) {
      const { blobId } = this.#read(slot);
      if (this.#slotOf('blobId', Buffer.from(blobId, 'base64url')) === slot) yield blobId;
    }
  }

  #read(slot: number): StoredBlob {
    const start = slot * recordBytes;
    const text = (at: number) => this.#records.toString('base64url', start + at, start + at + hashBytes);
    return {
      blobId: text(fields.blobId),
      digest: text(fields.digest),
      rootHash: text(2 * hashBytes),
      size: this.#records.readDoubleLE(start + 3 * hashBytes),
    };
  }

  /**
   * Selects a chain by the last bits of the field. The fields are hashes, so their bits are evenly distributed; the
   * capacity is a power of two.
   */
  #chainOf(field: Field, slot: number): number {
    return this.#records.readUInt32LE(slot * recordBytes + fields[field]) & (this.#capacity - 1);
  }

  #slotOf(field: Field, value: Buffer): number {
    const { heads, next } = this.#chains[field];
    let slot = heads[value.readUInt32LE(0) & (this.#capacity - 1)]!;
    while (slot !== none) {
      const start = slot * recordBytes + fields[field];
      if (this.#records.compare(value, 0, hashBytes, start, start + hashBytes) === 0) break;
      slot = next[slot]!;
    }
    return slot;
  }

  #link(slot: number): void {
    for (const field of ['blobId', 'digest'] as const) {
      const { heads, next } = this.#chains[field];
      const chain = this.#chainOf(field, slot);
      next[slot] = heads[chain]!;
      heads[chain] = slot;
    }
  }

  #unlink(field: Field, slot: number): void {
    const { heads, next } = this.#chains[field];
    const chain = this.#chainOf(field, slot);
    if (heads[chain] === slot) {
      heads[chain] = next[slot]!;
      return;
    }
    let before = heads[chain]!;
    while (next[before] !== slot) before = next[before]!;
    next[before] = next[slot]!;
  }

  #grow(): void {
    this.#capacity *= 2;
    const records = Buffer.alloc(this.#capacity * recordBytes);
    this.#records.copy(records);
    this.#records = records;
    this.#chains = { blobId: emptyChains(this.#capacity), digest: emptyChains(this.#capacity) };
    for (let slot = 0; slot < this.#used; slot += 1) this.#link(slot);
  }
}
