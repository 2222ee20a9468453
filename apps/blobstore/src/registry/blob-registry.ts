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

/** What becomes of an object with its certificate. At most one of the first three; without, the publisher keeps it. */
export interface AfterStore {
  sendObjectTo?: string | undefined;
  /** Wrapped into a SharedBlob object, that anyone may extend */
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

/** An object after a store or an extension, and what that cost in FROST. */
export interface PaidObject {
  object: BlobObject;
  cost: number;
  /** Id of the SharedBlob object, where the object was shared */
  sharedBlobObject?: string;
}

/** A page in the order of ids. */
export interface PageRequest {
  /** The last id of the page before */
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
   * Registers a new object, lets `content` make the bytes durable, and certifies, which promises that they are.
   * When `content` rejects, or the process ends in between, an uncertified registration may remain.
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
  /** Moves on by hand. Returns the epoch that is current then. */
  advanceEpoch(by: number): Promise<number>;
  /** The objects that keep a blob readable; empty when it does not exist, has expired or was deleted. */
  liveObjects(blobId: string): Promise<CertifiedObject[]>;
  /** The registrations of a blob that have neither a certificate nor ended. */
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
  /** Objects that have not ended, in the order of their ids; those of one blob where it is named. */
  list(page: PageRequest & { blobId?: string }): Promise<ObjectRecord[]>;
  /** Ids of the blobs that have such objects, in their order. */
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
  /** Learns that the bytes of an ended blob were removed. */
  forgetBlob?(blobId: string): void;
  /** Reports the blob of every deletion observed from here on, if others than the publisher can delete. */
  onDeleted?(listener: (blobId: string) => void): void;
  /**
   * Those of these blobs that live objects keep, possibly not all; for registries where asking for each blob is
   * expensive.
   */
  keptAmong?(blobIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Removes the records of ended objects, in registries that do not do so at startup. */
  forgetEnded?(): Promise<void>;
  close(): Promise<void>;
}

/** Walrus allows no longer storage, on both public networks. */
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
