/** The fields of an object that the index needs. */
interface Indexed {
  objectId: string;
  blobId: string;
  /** Exclusive */
  endEpoch: number;
  /** A second id for lookups */
  sharedBlobObject?: string;
}

/** Objects in memory, by their ids and by their blob. */
export class ObjectIndex<T extends Indexed> {
  readonly #byId = new Map<string, T>();
  readonly #byBlob = new Map<string, Set<string>>();
  readonly #idOfShared = new Map<string, string>();

  set(entry: T): void {
    const { objectId, blobId, sharedBlobObject } = entry;
    this.#byId.set(objectId, entry);
    if (sharedBlobObject !== undefined) this.#idOfShared.set(sharedBlobObject, objectId);
    const siblings = this.#byBlob.get(blobId);
    if (siblings === undefined) this.#byBlob.set(blobId, new Set([objectId]));
    else siblings.add(objectId);
  }

  delete(objectId: string): void {
    const entry = this.#byId.get(objectId);
    if (entry === undefined) return;
    this.#byId.delete(objectId);
    if (entry.sharedBlobObject !== undefined) this.#idOfShared.delete(entry.sharedBlobObject);
    const siblings = this.#byBlob.get(entry.blobId);
    siblings?.delete(objectId);
    if (siblings?.size === 0) this.#byBlob.delete(entry.blobId);
  }

  /** An object by its own id, ended or not. */
  get(objectId: string): T | undefined {
    return this.#byId.get(objectId);
  }

  /** An object that outlives the start of `epoch`, by its own id or by that of its SharedBlob object. */
  liveById(id: string, epoch: number): T | undefined {
    const entry = this.#byId.get(this.#idOfShared.get(id) ?? id);
    return entry !== undefined && isLive(entry, epoch) ? entry : undefined;
  }

  /** The objects of a blob that outlive the start of `epoch`. */
  liveOf(blobId: string, epoch: number): T[] {
    return [...(this.#byBlob.get(blobId) ?? [])].flatMap((id) => this.liveById(id, epoch) ?? []);
  }

  /** Drops objects that have expired by `epoch`, and returns them. */
  prune(epoch: number): T[] {
    const ended = this.values().filter((entry) => !isLive(entry, epoch));
    for (const { objectId } of ended) this.delete(objectId);
    return ended;
  }

  /** Whether this blob has an object, ended or not. */
  hasBlob(blobId: string): boolean {
    return this.#byBlob.has(blobId);
  }

  values(): T[] {
    return [...this.#byId.values()];
  }

  /** Ids of all blobs that have an object. */
  blobIds(): string[] {
    return [...this.#byBlob.keys()];
  }
}

/** A blob ends at the start of its end epoch (`blob.move`). */
function isLive({ endEpoch }: Indexed, epoch: number): boolean {
  return endEpoch > epoch;
}
