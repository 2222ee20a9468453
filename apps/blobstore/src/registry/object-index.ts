import type { CertifiedObject } from './blob-registry.ts';

/** Certified objects in memory, by their own id and by the blob they stand for. */
export class ObjectIndex<T extends CertifiedObject> {
  readonly #byId = new Map<string, T>();
  readonly #byBlob = new Map<string, Set<string>>();

  set(entry: T): void {
    this.#byId.set(entry.objectId, entry);
    const siblings = this.#byBlob.get(entry.blobId);
    if (siblings === undefined) this.#byBlob.set(entry.blobId, new Set([entry.objectId]));
    else siblings.add(entry.objectId);
  }

  delete(objectId: string): void {
    const entry = this.#byId.get(objectId);
    if (entry === undefined) return;
    this.#byId.delete(objectId);
    const siblings = this.#byBlob.get(entry.blobId);
    siblings?.delete(objectId);
    if (siblings?.size === 0) this.#byBlob.delete(entry.blobId);
  }

  /** An object that outlives the start of `epoch`. */
  liveById(objectId: string, epoch: number): T | undefined {
    const entry = this.#byId.get(objectId);
    return entry !== undefined && isLive(entry, epoch) ? entry : undefined;
  }

  /** The objects of a blob that outlive the start of `epoch`. */
  liveOf(blobId: string, epoch: number): T[] {
    return [...(this.#byBlob.get(blobId) ?? [])].flatMap((id) => this.liveById(id, epoch) ?? []);
  }

  /** Drops what has ended by `epoch`. */
  prune(epoch: number): void {
    for (const entry of this.values()) if (!isLive(entry, epoch)) this.delete(entry.objectId);
  }

  values(): T[] {
    return [...this.#byId.values()];
  }
}

/** A blob ends at the start of its end epoch (`blob.move`). */
function isLive({ endEpoch }: CertifiedObject, epoch: number): boolean {
  return endEpoch > epoch;
}
