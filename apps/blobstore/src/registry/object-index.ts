import type { LiveObject } from './blob-registry.ts';

/** Objects in memory, by their own id and by the blob they stand for. */
export class ObjectIndex {
  readonly #byId = new Map<string, LiveObject>();
  readonly #byBlob = new Map<string, Set<string>>();

  set(entry: LiveObject): void {
    const { id, blobId } = entry.object;
    this.#byId.set(id, entry);
    const siblings = this.#byBlob.get(blobId);
    if (siblings === undefined) this.#byBlob.set(blobId, new Set([id]));
    else siblings.add(id);
  }

  delete(objectId: string): void {
    const entry = this.#byId.get(objectId);
    if (entry === undefined) return;
    this.#byId.delete(objectId);
    const siblings = this.#byBlob.get(entry.object.blobId);
    siblings?.delete(objectId);
    if (siblings?.size === 0) this.#byBlob.delete(entry.object.blobId);
  }

  get(objectId: string): LiveObject | undefined {
    return this.#byId.get(objectId);
  }

  /** Objects of a blob that outlive the start of `epoch`. */
  liveOf(blobId: string, epoch: number): LiveObject[] {
    const ids = [...(this.#byBlob.get(blobId) ?? [])];
    return ids.flatMap((id) => this.get(id) ?? []).filter((entry) => isLive(entry, epoch));
  }

  /** Drops what has ended by `epoch`. */
  prune(epoch: number): void {
    for (const entry of this.values()) if (!isLive(entry, epoch)) this.delete(entry.object.id);
  }

  values(): LiveObject[] {
    return [...this.#byId.values()];
  }
}

/** A blob ends at the start of its end epoch (`blob.move`). */
export function isLive({ object }: LiveObject, epoch: number): boolean {
  return object.storage.endEpoch > epoch;
}
