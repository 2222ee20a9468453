import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import type { StorageCommittee } from '@memrelay/chain/walrus-committee';
import type { SuiClientTypes } from '@mysten/sui/client';
import { parseStructTag } from '@mysten/sui/utils';
import { type NewBlob, type PaidObject, RegistryRefusedError } from '../blob-registry.ts';
import { registrationCost, writeCost } from '../pricing.ts';
import type { BlobIndex } from './blob-index.ts';
import { type ObjectRef, readBlobs, sharedAmong } from './blob-objects.ts';
import { certificatesOf } from './certificates.ts';
import type { NodeSigner } from './node-key.ts';
import type { RecentState } from './recent-state.ts';
import type { Executed, Wallet } from './wallet.ts';
import { type Certificate, staysWithPublisher, walrusCalls } from './walrus-calls.ts';
import type { WalrusSystem } from './walrus-system.ts';

export interface ChainParts {
  chain: ChainClient;
  system: WalrusSystem;
  wallet: Wallet;
  signer: NodeSigner;
  index: BlobIndex;
  /** Objects that the wallet owns */
  kept: Set<string>;
  state: RecentState;
  /** The network's storage nodes */
  committee: StorageCommittee;
}

export interface Store {
  blob: NewBlob;
  /** Spare storage to use up instead of buying new storage */
  spare?: ObjectRef;
}

interface Registered extends Store {
  objectId: string;
  /** The epoch of its certificate, which must be submitted in the same epoch */
  epoch: number;
}

/** Registers blobs in one transaction, and certifies those that have an entry in `certificates`. */
async function register(
  { system, wallet, index, kept }: ChainParts,
  stores: Store[],
  certificates: ReadonlyMap<Store, Certificate> = new Map(),
): Promise<{ entries: Registered[]; executed: Executed }> {
  const executed = await wallet.execute(stores.length, (transaction, wal) => {
    const calls = walrusCalls(transaction, system, wal);
    for (const store of stores) {
      const object = calls.register(store.blob, store.spare);
      const certificate = certificates.get(store);
      if (certificate !== undefined) {
        calls.certify(object, certificate);
        calls.setAttributes(object, store.blob.attributes ?? {});
      }
      const owner = certificate === undefined ? undefined : store.blob.sendObjectTo;
      transaction.transferObjects([object], owner ?? wallet.address);
    }
  });
  const entries = registeredBlobs(executed.events, stores);
  for (const { objectId } of entries) kept.add(objectId);
  index.take(executed.events, executed.digest);
  return { entries, executed };
}

/** The objects that a transaction registered, in the order of its calls. */
function registeredBlobs(events: SuiClientTypes.Event[], stores: Store[]): Registered[] {
  const registered = events
    .filter(({ eventType }) => parseStructTag(eventType).name === 'BlobRegistered')
    .map(({ bcs }) => walrusEventBcs.BlobRegistered.parse(bcs));
  if (registered.length !== stores.length)
    throw new Error('the chain reports another number of registrations');
  return registered.map(({ object_id: objectId, epoch }, index) => ({
    ...(stores[index] as Store),
    objectId,
    epoch,
  }));
}

/** Registers a blob that stays with the publisher, uncertified. Returns its object's id. */
export async function registerAlone(parts: ChainParts, store: Store): Promise<string> {
  const { entries } = await register(parts, [store]);
  return entries[0]!.objectId;
}

/**
 * Whether a blob can be certified in the transaction that registers it, with its object still readable afterwards.
 */
function isDoneAtOnce({ blob }: Store): boolean {
  return !blob.deletable && !blob.share && !blob.burn;
}

/**
 * Registers and certifies blobs together. The certificate of a deletable blob names its object, whose id is only
 * known after its registration, so those need a second transaction; permanent ones are certified in the first. Throws
 * `ChainRejectedError` and `ChainUnavailableError` for all of them.
 */
async function storeBatch(parts: ChainParts, stores: Store[]): Promise<PaidObject[]> {
  const { chain, system, kept, state } = parts;
  const { epoch: signedEpoch } = await state.get();
  const atOnce = stores.filter(isDoneAtOnce);
  const promised = atOnce.map(({ blob: { blobId } }) => ({ blobId, epoch: signedEpoch }));
  const certificates = await certificatesOf(parts.signer, promised);
  const { entries, executed } = await register(
    parts,
    stores,
    new Map(atOnce.map((store, index) => [store, certificates[index] as Certificate])),
  );

  const late = entries.filter((entry) => !isDoneAtOnce(entry));
  const reading = readBlobs(
    chain,
    system.packageId,
    entries.map(({ objectId }) => objectId),
  );
  // Objects can be read while they are certified, except those that are then shared or burnt.
  if (late.some(({ blob }) => blob.share || blob.burn)) await reading;
  const [read, shared] = await Promise.all([reading, certifyLate(parts, late, executed)]);

  for (const { blob, objectId } of entries) if (!staysWithPublisher(blob)) kept.delete(objectId);
  return Promise.all(
    entries.map(async ({ blob, spare, objectId, epoch }) => {
      const found = read.get(objectId);
      if (found === undefined) throw new Error(`the new object ${objectId} cannot be read`);
      const { prices } = await state.get(epoch);
      const { storageSize } = found.object.storage;
      const cost = spare
        ? writeCost(storageSize, prices)
        : registrationCost(storageSize, blob.epochs, prices);
      return { object: { ...found.object, certifiedEpoch: epoch }, cost, ...shared.get(objectId) };
    }),
  );
}

/**
 * Certifies blobs that were registered a moment ago. If the epoch changed in between, the chain rejects the
 * certificates, and new ones are created, because the registrations are already paid for. Returns the SharedBlob
 * objects by object id.
 */
async function certifyLate(
  parts: ChainParts,
  entries: Registered[],
  registered: Executed,
): Promise<Map<string, { sharedBlobObject: string }>> {
  try {
    return await certifyIn(parts, entries, registered.refOf);
  } catch (error) {
    if (!(error instanceof ChainRejectedError)) throw error;
    parts.state.forget();
    const { epoch } = await parts.state.get();
    if (entries.every((entry) => entry.epoch === epoch)) throw error;
    for (const entry of entries) entry.epoch = epoch;
    const ids = entries.map(({ objectId }) => objectId);
    const read = await readBlobs(parts.chain, parts.system.packageId, ids);
    return certifyIn(parts, entries, (objectId) => {
      const blob = read.get(objectId);
      if (blob === undefined) throw error;
      return blob.ref;
    });
  }
}

/** Certifies blobs, each in its epoch, and then transfers, shares or burns them as requested. */
async function certifyIn(
  { chain, system, wallet, signer, index }: ChainParts,
  entries: Registered[],
  refOf: (objectId: string) => ObjectRef,
): Promise<Map<string, { sharedBlobObject: string }>> {
  if (entries.length === 0) return new Map();
  const certificates = await certificatesOf(
    signer,
    entries.map(({ blob, objectId, epoch }) => ({
      blobId: blob.blobId,
      deletableObject: blob.deletable ? objectId : undefined,
      epoch,
    })),
  );
  const executed = await wallet.execute(entries.length, (transaction, wal) => {
    const calls = walrusCalls(transaction, system, wal);
    for (const [position, { blob, objectId }] of entries.entries()) {
      const object = transaction.objectRef(refOf(objectId));
      calls.certify(object, certificates[position] as Certificate);
      calls.finish(object, blob);
    }
  });
  index.take(executed.events, executed.digest);
  const isShared = entries.some(({ blob }) => blob.share);
  return isShared ? sharedAmong(chain, system.packageId, executed.created) : new Map();
}

/**
 * Like `storeBatch`, but a store that the chain rejects is retried on its own: the epoch may have changed in the
 * meantime, or another blob of the batch may have been the reason.
 */
export async function storeEach(
  parts: ChainParts,
  stores: Store[],
): Promise<PromiseSettledResult<PaidObject>[]> {
  try {
    const stored = await storeBatch(parts, stores);
    return stored.map((value) => ({ status: 'fulfilled', value }));
  } catch (error) {
    if (!(error instanceof ChainRejectedError)) throw error;
    parts.state.forget();
  }
  const results: PromiseSettledResult<PaidObject>[] = [];
  for (const store of stores) results.push(...(await Promise.allSettled([storeAlone(parts, store)])));
  return results;
}

async function storeAlone(parts: ChainParts, store: Store): Promise<PaidObject> {
  try {
    const [stored] = await storeBatch(parts, [store]);
    if (stored === undefined) throw new Error('a store without a result');
    return stored;
  } catch (error) {
    if (store.spare === undefined || !(error instanceof ChainRejectedError)) throw error;
    throw new RegistryRefusedError('not-found', `${store.spare.objectId} is not spare storage`);
  }
}
