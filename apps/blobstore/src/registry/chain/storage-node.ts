import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import type { SuiClientTypes } from '@mysten/sui/client';
import type { KnownBlob } from './blob-index.ts';
import { certificatesOf } from './certificates.ts';
import type { Freshness } from './freshness.ts';
import type { ChainParts } from './store-batch.ts';
import type { Certificate } from './walrus-calls.ts';

/** A blob that somebody registered and that has not ended. */
export interface Registration extends Pick<KnownBlob, 'objectId' | 'blobId' | 'size' | 'deletable'> {
  /** In which it was looked up; what is promised is promised in it */
  epoch: number;
}

/** The transaction behind a digest, as far as it is about payment. */
export type PaidTransaction = SuiClientTypes.Transaction<{ transaction: true; balanceChanges: true }>;

/** The network's only storage node, as those who register blobs themselves need it. */
export interface StorageNode {
  nShards: number;
  /**
   * The registration of a blob: the deletable object that is named, or any permanent one. It is read from the chain
   * after the call began; undefined when there is none. Throws `RegistryUnavailableError`, also below.
   */
  registration(blobId: string, deletableObject?: string): Promise<Registration | undefined>;
  /** Promises to keep a registered blob, whose bytes are durable. */
  confirm(registration: Registration): Promise<Certificate>;
  /** An executed transaction that succeeded; undefined when there is none. */
  transaction(digest: string): Promise<PaidTransaction | undefined>;
}

export function createStorageNode(
  { chain, system, signer, index }: ChainParts,
  freshness: Freshness,
): StorageNode {
  return {
    nShards: system.nShards,

    async registration(blobId, deletableObject) {
      const epoch = await freshness.now();
      const found = index.objects
        .liveOf(blobId, epoch)
        .find(({ objectId, deletable }) =>
          deletable ? objectId === deletableObject : deletableObject === undefined,
        );
      if (found === undefined) return undefined;
      const { objectId, size, deletable } = found;
      return { objectId, blobId, size, deletable, epoch };
    },

    async confirm({ blobId, objectId, deletable, epoch }) {
      const deletableObject = deletable ? objectId : undefined;
      const [certificate] = await certificatesOf(signer, [{ blobId, deletableObject, epoch }]);
      return certificate!;
    },

    async transaction(digest) {
      const include = { transaction: true, balanceChanges: true } as const;
      try {
        const result = await chain.call((sui, signal) =>
          sui.core.getTransaction({ digest, include, signal }),
        );
        return result.Transaction;
      } catch (error) {
        if (error instanceof ChainRejectedError) return undefined;
        throw error;
      }
    },
  };
}
