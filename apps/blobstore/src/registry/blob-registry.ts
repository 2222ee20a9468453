import type { BlobIdentity } from '../base/blob-id-encoder.ts';

/** The on-chain `Blob` object, as the publisher reports it. Epochs are Walrus epochs, sizes are bytes. */
export interface BlobObject {
  /** `0x` and 64 hex digits; unique per object, many objects may have one blob id */
  id: string;
  registeredEpoch: number;
  blobId: string;
  size: number;
  certifiedEpoch: number;
  storage: StorageResource;
  deletable: boolean;
}

/** Space that is paid for: part of a blob object, or spare. */
export interface StorageResource {
  id: string;
  startEpoch: number;
  /** Exclusive: the blob is gone at the start of this epoch */
  endEpoch: number;
  /** Encoded bytes */
  storageSize: number;
}

/** Key-value pairs of a blob object. */
export type BlobAttributes = Readonly<Record<string, string>>;

/** The event that certified an object. With a chain, `txDigest` resolves on it. */
export interface EventId {
  /** Base58 */
  txDigest: string;
  eventSeq: string;
}

/** A certified object of a blob. It is live until `endEpoch` begins. */
export interface CertifiedObject {
  objectId: string;
  blobId: string;
  /** Exclusive */
  endEpoch: number;
  deletable: boolean;
  event: EventId;
  /** Whether the publisher itself still owns it, so that it can be extended for another store */
  owned: boolean;
}

/** A certified object that still exists as such (not burnt), with its attributes as they are now. */
export interface FoundObject extends CertifiedObject {
  attributes: BlobAttributes;
}

/** A registration that is not certified (yet): its store is in progress, or was interrupted. */
export type UncertifiedObject = Omit<CertifiedObject, 'event'>;

/** Everything about one object that has not ended. */
export interface ObjectRecord {
  /** `certifiedEpoch` is null before the certificate */
  object: Omit<BlobObject, 'certifiedEpoch'> & { certifiedEpoch: number | null };
  attributes: BlobAttributes;
  owned: boolean;
  /** The object is destroyed; the blob stays readable until its end */
  burnt: boolean;
  /** Id of the shared object that holds it */
  sharedBlobObject?: string;
  /** Of the certificate; before it, of the registration */
  event: EventId;
}

/**
 * What happens to an object once it is certified. At most one of the first three may be set; by default the
 * publisher keeps the object.
 */
export interface AfterStore {
  sendObjectTo?: string | undefined;
  /** The object is wrapped in a SharedBlob object, which anyone may extend */
  share?: boolean;
  /** The object is destroyed, the blob stays (`blob.move`, burn) */
  burn?: boolean;
  attributes?: BlobAttributes;
}

export interface NewBlob extends BlobIdentity, AfterStore {
  size: number;
  /** Lifetime in epochs from the current one; ignored with `storageId` */
  epochs: number;
  deletable: boolean;
  /** Spare storage to use up instead of paying for new */
  storageId?: string;
}

/** An object after a store or an extension, with the cost in FROST. */
export interface PaidObject {
  object: BlobObject;
  cost: number;
  /** Id of the SharedBlob object, if the object was shared */
  sharedBlobObject?: string;
}

/** A page in the order of ids. */
export interface PageRequest {
  /** The last id of the previous page */
  after?: string;
  limit: number;
}

/**
 * Which blobs and objects exist, until when, and who owns them. Every method throws `RegistryUnavailableError` when
 * the result is unknown at the moment, instead of returning "nothing". A change is durable when its promise resolves,
 * and throws `RegistryRefusedError` when the rules do not allow it. Expired objects never become live again.
 */
export interface BlobRegistry {
  currentEpoch(): Promise<number>;
  /**
   * Registers a new object, waits for `content` to make the bytes durable, and certifies the object. When `content`
   * rejects, or the process ends in between, an uncertified registration may remain.
   */
  store(blob: NewBlob, content: () => Promise<void>): Promise<PaidObject>;
  /** Registers an object of the publisher and leaves it uncertified. Returns its id. */
  register(blob: NewBlob): Promise<string>;
  /** Certifies the publisher's own registration, whose bytes are durable, and extends it by `extendBy` epochs. */
  certify(objectId: string, extendBy: number, after?: AfterStore): Promise<PaidObject>;
  /** Extends a certified object that the publisher owns. */
  extend(objectId: string, epochs: number, after?: AfterStore): Promise<PaidObject>;
  /** Adds or replaces attributes, and removes those that are null. Returns the resulting attributes. */
  setAttributes(objectId: string, changes: Readonly<Record<string, string | null>>): Promise<BlobAttributes>;
  /** Deletes a deletable object. Its storage becomes spare where the publisher owned it. Returns its blob id. */
  delete(objectId: string): Promise<string>;
  /** Advances the epoch manually. Returns the new epoch. */
  advanceEpoch(by: number): Promise<number>;
  /** The objects that keep a blob readable; empty when it does not exist, has expired or was deleted. */
  liveObjects(blobId: string): Promise<CertifiedObject[]>;
  /** The registrations of a blob that are not certified and have not expired. */
  uncertified(blobId: string): Promise<UncertifiedObject[]>;
  /** Storage of the publisher that no blob uses and that has not ended. */
  spareStorage(): Promise<StorageResource[]>;
  /** Whether an object of the blob was deleted in the current epoch, at whose end its data may be removed. */
  deletedThisEpoch(blobId: string): Promise<boolean>;
  /**
   * One live certified object by its id, or by that of the SharedBlob object that contains it. On chain, a contained
   * object can no longer be found by its own id.
   */
  find(objectId: string): Promise<FoundObject | undefined>;
  /** Objects that have not expired, in the order of their ids, of all blobs or only of `blobId`. */
  list(page: PageRequest & { blobId?: string }): Promise<ObjectRecord[]>;
  /** Sorted ids of the blobs that have objects that have not expired. */
  listBlobIds(page: PageRequest): Promise<string[]>;
  /**
   * Whether the blob may still be certified, so that its bytes must stay although no certified object keeps them: it
   * is registered, or a relay promised to keep them.
   */
  isPromised(blobId: string): Promise<boolean>;
  /**
   * Whether the blob is known to have been stored here and to have expired, so that its bytes may be removed. False
   * for a blob that is unknown to the registry, and if the registry may have missed something.
   */
  hasEnded(blobId: string): Promise<boolean>;
  /** Call this after the bytes of an expired blob were removed. */
  forgetBlob?(blobId: string): void;
  /**
   * Calls `listener` with the blob of every later deletion. For registries in which others than the publisher can
   * delete.
   */
  onDeleted?(listener: (blobId: string) => void): void;
  /**
   * Returns the blobs of `blobIds` that have live objects; may miss some. For registries in which a query per blob
   * is expensive.
   */
  keptAmong?(blobIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Removes the records of ended objects, in registries that do not do so at startup. */
  forgetEnded?(): Promise<void>;
  close(): Promise<void>;
}

/** Longest storage period in epochs, as on both public Walrus networks. */
export const maxEpochsAhead = 53;

export class RegistryUnavailableError extends Error {
  override readonly name = 'RegistryUnavailableError';
}

export type RefusalReason =
  | 'not-found'
  | 'not-owned'
  | 'permanent'
  | 'uncertified'
  | 'too-long'
  /** This kind of registry cannot do it at all */
  | 'not-offered';

/** The rules do not allow a change. */
export class RegistryRefusedError extends Error {
  override readonly name = 'RegistryRefusedError';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
