import type { BlobIdentity } from '../encoding/blob-id-encoder.ts';

/** The on-chain `Blob` object, as the publisher reports it. Epochs are Walrus epochs, sizes are bytes. */
export interface BlobObject {
  /** `0x` and 64 hex digits; unique per object, many objects may have one blob id */
  id: string;
  registeredEpoch: number;
  blobId: string;
  size: number;
  certifiedEpoch: number;
  storage: {
    id: string;
    startEpoch: number;
    /** Exclusive: the blob is gone at the start of this epoch */
    endEpoch: number;
    /** Encoded size that is paid for */
    storageSize: number;
  };
  deletable: boolean;
}

/** The event that certified an object. With a chain, `txDigest` resolves on it. */
export interface EventId {
  /** Base58 */
  txDigest: string;
  eventSeq: string;
}

/** What a certified object means for the blob it stands for. It is live until `endEpoch` begins. */
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

export interface NewBlob extends BlobIdentity {
  size: number;
  /** How many epochs from the current one it shall live */
  epochs: number;
  deletable: boolean;
  /** Who receives the object; the publisher keeps it when absent */
  sendObjectTo?: string | undefined;
}

/** An object after a store or an extension, and what that cost in FROST. */
export interface PaidObject {
  object: BlobObject;
  cost: number;
}

/**
 * What exists, for how long, and whose it is. Every method throws `RegistryUnavailableError` when the answer
 * cannot be known now; none answers "nothing" for that reason. A change is durable when its promise resolves.
 */
export interface BlobRegistry {
  currentEpoch(): Promise<number>;
  /**
   * Registers and certifies a new object in one step, so an uncertified one never remains. The content must
   * already be durable, since certifying promises that it is.
   */
  store(blob: NewBlob): Promise<PaidObject>;
  /** Prolongs an object that the publisher owns, and then hands it over where `sendObjectTo` says so. */
  extend(objectId: string, epochs: number, sendObjectTo?: string): Promise<PaidObject>;
  /** The objects that keep a blob readable; empty when it does not exist, has expired or was deleted. */
  liveObjects(blobId: string): Promise<CertifiedObject[]>;
  /** One live object by its id. */
  find(objectId: string): Promise<CertifiedObject | undefined>;
  close(): Promise<void>;
}

/** Walrus allows no longer storage, on both public networks. */
export const maxEpochsAhead = 53;

export class RegistryUnavailableError extends Error {
  override readonly name = 'RegistryUnavailableError';
}
