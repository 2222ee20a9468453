import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { blobIdToInteger, storageConfirmation, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import type { Transaction, TransactionObjectArgument } from '@mysten/sui/transactions';
import { parseStructTag } from '@mysten/sui/utils';
import type { NewBlob, PaidObject } from '../blob-registry.ts';
import { registrationCost } from '../pricing.ts';
import { type ReadBlobObject, readBlobObjects } from './blob-objects.ts';
import type { CertifiedIndex } from './certified-index.ts';
import type { NodeSigner } from './node-key.ts';
import type { RecentState } from './recent-state.ts';
import type { Executed, Wallet } from './wallet.ts';
import { addCertification, addRegistration, type Certificate } from './walrus-calls.ts';
import type { WalrusSystem } from './walrus-system.ts';

export interface ChainParts {
  chain: ChainClient;
  system: WalrusSystem;
  wallet: Wallet;
  signer: NodeSigner;
  index: CertifiedIndex;
  /** Objects that the wallet owns */
  kept: Set<string>;
  state: RecentState;
}

interface Registered {
  blob: NewBlob;
  objectId: string;
  /** In which it was registered; a certificate must be of the epoch in which it is handed in */
  epoch: number;
}

/** Certificates in the order of the blobs. `objectId` is part of the promise for deletable ones alone. */
async function certify(
  { signer }: ChainParts,
  blobs: readonly { blob: NewBlob; objectId?: string; epoch: number }[],
): Promise<Certificate[]> {
  if (blobs.length === 0) return [];
  const messages = blobs.map(({ blob: { blobId, deletable }, objectId = '', epoch }) =>
    storageConfirmation(epoch, { id: objectId, blob_id: blobIdToInteger(blobId).toString(), deletable }),
  );
  const signatures = await signer.sign(messages);
  return messages.map((message, index) => ({ message, signature: signatures[index] as Uint8Array }));
}

/** What a transaction registered, in the order of its calls. */
function registeredBlobs(events: SuiClientTypes.Event[], blobs: NewBlob[]): Registered[] {
  const registered = events
    .filter(({ eventType }) => parseStructTag(eventType).name === 'BlobRegistered')
    .map(({ bcs }) => walrusEventBcs.BlobRegistered.parse(bcs));
  if (registered.length !== blobs.length)
    throw new Error('the chain reports another number of registrations');
  return registered.map(({ object_id: objectId, epoch }, index) => ({
    blob: blobs[index] as NewBlob,
    objectId,
    epoch,
  }));
}

/**
 * Registers and certifies blobs together. The certificate of a deletable blob names its object, whose id is only
 * known once it is registered, so those take a second transaction; permanent ones are done in the first.
 * Throws `ChainRejectedError` and `ChainUnavailableError` for all of them.
 */
export async function storeBatch(parts: ChainParts, blobs: NewBlob[]): Promise<PaidObject[]> {
  const { chain, wallet, index, kept } = parts;
  const registered = await wallet.execute(blobs.length, await registration(parts, blobs));
  const entries = registeredBlobs(registered.events, blobs);
  const late = entries.filter(({ blob }) => blob.deletable);
  // While a deletable blob is being certified, all else about its object stands already.
  const [certified, read] = await Promise.all([
    late.length > 0 ? certifyDeletable(parts, late, registered) : undefined,
    readBlobObjects(
      chain,
      entries.map(({ objectId }) => objectId),
    ),
  ]);

  for (const { blob, objectId } of entries) if (blob.sendObjectTo === undefined) kept.add(objectId);
  index.take(registered.events, registered.digest);
  if (certified !== undefined) index.take(certified.events, certified.digest);
  return Promise.all(
    entries.map(async ({ blob, epoch }, position) => {
      const object = { ...(read[position] as ReadBlobObject).object, certifiedEpoch: epoch };
      const { prices } = await parts.state.get(epoch);
      return { object, cost: registrationCost(object.storage.storageSize, blob.epochs, prices) };
    }),
  );
}

/** The calls that register blobs, and certify the permanent ones among them. */
async function registration(parts: ChainParts, blobs: NewBlob[]) {
  const { system, wallet } = parts;
  const { epoch, nShards } = await parts.state.get();
  const permanent = blobs.filter(({ deletable }) => !deletable);
  const signed = await certify(
    parts,
    permanent.map((blob) => ({ blob, epoch })),
  );
  const certificates = new Map(permanent.map((blob, index) => [blob, signed[index] as Certificate]));
  return (transaction: Transaction, wal: TransactionObjectArgument) => {
    for (const blob of blobs) {
      const object = addRegistration(transaction, system, nShards, blob, wal);
      const certificate = certificates.get(blob);
      if (certificate !== undefined) addCertification(transaction, system, object, certificate);
      const owner = certificate === undefined ? undefined : blob.sendObjectTo;
      transaction.transferObjects([object], owner ?? wallet.address);
    }
  };
}

async function certifyDeletable(
  parts: ChainParts,
  entries: Registered[],
  registered: Executed,
): Promise<Executed> {
  const certificates = await certify(parts, entries);
  return parts.wallet.execute(entries.length, (transaction) => {
    for (const [position, { blob, objectId }] of entries.entries()) {
      const object = transaction.objectRef(registered.refOf(objectId));
      addCertification(transaction, parts.system, object, certificates[position] as Certificate);
      if (blob.sendObjectTo !== undefined) transaction.transferObjects([object], blob.sendObjectTo);
    }
  });
}

/**
 * As `storeBatch`, but what the chain refuses is tried once more alone: the epoch may have turned meanwhile, or
 * another blob of the batch may have been the reason.
 */
export async function storeEach(
  parts: ChainParts,
  blobs: NewBlob[],
): Promise<PromiseSettledResult<PaidObject>[]> {
  try {
    const stored = await storeBatch(parts, blobs);
    return stored.map((value) => ({ status: 'fulfilled', value }));
  } catch (error) {
    if (!(error instanceof ChainRejectedError)) throw error;
    parts.state.forget();
  }
  const results: PromiseSettledResult<PaidObject>[] = [];
  for (const blob of blobs)
    results.push(...(await Promise.allSettled([storeBatch(parts, [blob]).then(only)])));
  return results;
}

function only(stored: PaidObject[]): PaidObject {
  const [first] = stored;
  if (first === undefined) throw new Error('a store without a result');
  return first;
}
