import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { signBls } from '@memrelay/chain/walrus-bls';
import type { StorageCommittee } from '@memrelay/chain/walrus-committee';
import type { SuiClientTypes } from '@mysten/sui/client';
import type { KnownBlob } from './blob-index.ts';
import { type BlobStatus, blobStatusOf } from './blob-status.ts';
import { certificatesOf, confirmationOf } from './certificates.ts';
import type { Freshness } from './freshness.ts';
import type { ChainParts } from './store-batch.ts';
import type { Certificate } from './walrus-calls.ts';

/** A registered blob that has not ended. */
export interface Registration extends Pick<KnownBlob, 'objectId' | 'blobId' | 'size' | 'deletable'> {
  /** The epoch of the lookup, also used for confirmations */
  epoch: number;
}

/** A transaction with the fields that are needed to check a payment. */
export type PaidTransaction = SuiClientTypes.Transaction<{ transaction: true; balanceChanges: true }>;

/** The network's storage nodes, all in this process, for clients that register blobs themselves. */
export interface StorageNode {
  committee: StorageCommittee;
  /**
   * The registration of a blob: `deletableObject`, or any permanent object. It is read from the chain after the
   * call started; undefined if there is none. Throws `RegistryUnavailableError`, as the methods below do.
   */
  registration(blobId: string, deletableObject?: string): Promise<Registration | undefined>;
  /** Size of a blob that any live object registers, in bytes; undefined when there is none. */
  registeredSize(blobId: string): Promise<number | undefined>;
  /** The combined status of the live objects of a blob. */
  status(blobId: string): Promise<BlobStatus>;
  /** Creates the certificate of all nodes for a registered blob. Its bytes must be durable. */
  confirm(registration: Registration): Promise<Certificate>;
  /** The confirmation of one node, by its index in the committee. */
  confirmAs(member: number, registration: Registration): Certificate;
  /** A successful transaction; undefined when there is none. */
  transaction(digest: string): Promise<PaidTransaction | undefined>;
}

export function createStorageNode(
  { chain, signer, index, committee }: ChainParts,
  freshness: Freshness,
): StorageNode {
  const live = async (blobId: string) => index.objects.liveOf(blobId, await freshness.now());
  const promised = ({ blobId, objectId, deletable, epoch }: Registration) => ({
    blobId,
    deletableObject: deletable ? objectId : undefined,
    epoch,
  });

  return {
    committee,

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

    async registeredSize(blobId) {
      const [found] = await live(blobId);
      return found?.size;
    },

    async status(blobId) {
      return blobStatusOf(await live(blobId));
    },

    async confirm(registration) {
      const [certificate] = await certificatesOf(signer, [promised(registration)]);
      return certificate!;
    },

    confirmAs(member, registration) {
      const message = confirmationOf(promised(registration));
      return { message, signature: signBls(committee.members[member]!.secretKey, message) };
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
