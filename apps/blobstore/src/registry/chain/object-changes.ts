import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import type { TransactionObjectArgument } from '@mysten/sui/transactions';
import { createKeyedLock } from '../../base/keyed-lock.ts';
import {
  type AfterStore,
  type BlobAttributes,
  type BlobRegistry,
  maxEpochsAhead,
  type PaidObject,
  type RefusalReason,
  RegistryRefusedError,
} from '../blob-registry.ts';
import { extensionCost } from '../pricing.ts';
import { type ReadBlob, readBlobs, sharedAmong } from './blob-objects.ts';
import { certificatesOf } from './certificates.ts';
import { readShared } from './sharing.ts';
import type { ChainParts } from './store-batch.ts';
import { staysWithPublisher, type WalrusCalls, walrusCalls } from './walrus-calls.ts';

type Changes = Pick<BlobRegistry, 'certify' | 'extend' | 'setAttributes' | 'delete'>;

/** A blob object of the publisher while it is being changed. */
interface OwnBlob extends ReadBlob {
  objectId: string;
}

/**
 * The publisher's operations on its own objects, each in a separate transaction. Throws `RegistryRefusedError`,
 * `ChainRejectedError` and `ChainUnavailableError`.
 */
export function createObjectChanges(parts: ChainParts): Changes {
  const { chain, system, wallet, index, kept, state } = parts;
  /** By object id, because each change depends on the previous one */
  const turns = createKeyedLock();

  function refuse(reason: RefusalReason, objectId: string, why: string): never {
    throw new RegistryRefusedError(reason, `${objectId} ${why}`);
  }

  async function readOwn(objectId: string, epoch: number): Promise<OwnBlob> {
    const blob = (await readBlobs(chain, system.packageId, [objectId])).get(objectId);
    const known = blob ? undefined : index.objects.get(objectId);
    const standing = blob ?? (known && (await readShared(parts, known)));
    if (standing === undefined || standing.object.storage.endEpoch <= epoch)
      return refuse('not-found', objectId, 'does not exist');
    if (blob === undefined || !kept.has(objectId))
      return refuse('not-owned', objectId, 'is not an object of this publisher');
    return { ...blob, objectId };
  }

  /** Executes a transaction with the calls that `add` adds for the blob, and applies the result. */
  async function execute(
    { objectId, ref }: OwnBlob,
    after: AfterStore,
    add: (calls: WalrusCalls, blob: TransactionObjectArgument) => void,
  ): Promise<string[]> {
    const executed = await wallet.execute(1, (transaction, wal) => {
      const blob = transaction.objectRef(ref);
      const calls = walrusCalls(transaction, system, wal);
      add(calls, blob);
      calls.finish(blob, after);
    });
    if (!staysWithPublisher(after)) kept.delete(objectId);
    index.take(executed.events, executed.digest);
    return executed.created;
  }

  /**
   * Certifies the blob if it is not certified yet, extends it, and transfers, shares or burns it as `after`
   * specifies.
   */
  async function certifyAndExtend(blob: OwnBlob, epochs: number, after: AfterStore): Promise<PaidObject> {
    const { objectId, object } = blob;
    const { blobId, deletable, storage } = object;
    const { epoch, prices } = await state.get();
    const endEpoch = storage.endEpoch + epochs;
    if (endEpoch > epoch + maxEpochsAhead) refuse('too-long', objectId, `would live too long`);
    const deletableObject = deletable ? objectId : undefined;
    const promised = object.certifiedEpoch === null ? [{ blobId, deletableObject, epoch }] : [];
    const [certificate] = await certificatesOf(parts.signer, promised);
    const created = await execute(blob, after, (calls, argument) => {
      if (certificate !== undefined) calls.certify(argument, certificate);
      if (epochs > 0) calls.extend(argument, epochs);
    });
    const shared = after.share ? await sharedAmong(chain, system.packageId, created) : undefined;
    return {
      object: {
        ...object,
        certifiedEpoch: object.certifiedEpoch ?? epoch,
        storage: { ...storage, endEpoch },
      },
      cost: extensionCost(storage.storageSize, epochs, prices),
      ...shared?.get(objectId),
    };
  }

  /** Retries once if the chain rejected it: the epoch may have changed after the state was read. */
  async function certify(objectId: string, extendBy: number, after: AfterStore): Promise<PaidObject> {
    const attempt = async () =>
      certifyAndExtend(await readOwn(objectId, (await state.get()).epoch), extendBy, after);
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ChainRejectedError)) throw error;
      state.forget();
      return attempt();
    }
  }

  async function extend(objectId: string, epochs: number, after: AfterStore): Promise<PaidObject> {
    const blob = await readOwn(objectId, (await state.get()).epoch);
    if (blob.object.certifiedEpoch === null) refuse('uncertified', objectId, 'is not certified yet');
    return certifyAndExtend(blob, epochs, after);
  }

  async function setAttributes(
    objectId: string,
    wanted: Readonly<Record<string, string | null>>,
  ): Promise<BlobAttributes> {
    const blob = await readOwn(objectId, (await state.get()).epoch);
    const changes = Object.entries(wanted).filter(([key, value]) => value !== null || key in blob.attributes);
    if (changes.length > 0) {
      await execute(blob, {}, (calls, argument) =>
        calls.setAttributes(argument, Object.fromEntries(changes)),
      );
    }
    const merged = Object.entries({ ...blob.attributes, ...wanted });
    return Object.fromEntries(merged.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
  }

  async function deleteBlob(objectId: string): Promise<string> {
    const blob = await readOwn(objectId, (await state.get()).epoch);
    if (!blob.object.deletable) refuse('permanent', objectId, 'is permanent');
    await execute(blob, {}, (calls, argument) => calls.delete(argument, wallet.address));
    kept.delete(objectId);
    return blob.object.blobId;
  }

  return {
    certify: (objectId, extendBy, after = {}) =>
      turns.run(objectId, () => certify(objectId, extendBy, after)),
    extend: (objectId, epochs, after = {}) => turns.run(objectId, () => extend(objectId, epochs, after)),
    setAttributes: (objectId, wanted) => turns.run(objectId, () => setAttributes(objectId, wanted)),
    delete: (objectId) => turns.run(objectId, () => deleteBlob(objectId)),
  };
}
