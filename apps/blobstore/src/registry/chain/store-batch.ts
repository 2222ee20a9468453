import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { blobIdToInteger, storageConfirmation, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import { parseStructTag } from '@mysten/sui/utils';
import type { NewBlob, PaidObject } from '../blob-registry.ts';
import { registrationCost } from '../pricing.ts';
import { readBlobObjects } from './blob-objects.ts';
import type { CertifiedIndex } from './certified-index.ts';
import type { NodeSigner } from './node-key.ts';
import type { Executed, Wallet } from './wallet.ts';
import { addCertification, addRegistration, type Certificate } from './walrus-calls.ts';
import { readWalrusState, type WalrusSystem } from './walrus-system.ts';

export interface ChainParts {
  chain: ChainClient;
  system: WalrusSystem;
  wallet: Wallet;
  signer: NodeSigner;
  index: CertifiedIndex;
  /** Objects that the wallet owns */
  kept: Set<string>;
}

/** `objectId` is part of the promise for deletable blobs alone. */
async function certify(
  { signer }: ChainParts,
  epoch: number,
  { blobId, deletable }: NewBlob,
  objectId = '',
): Promise<Certificate> {
  const blob = { id: objectId, blob_id: blobIdToInteger(blobId).toString(), deletable };
  const message = storageConfirmation(epoch, blob);
  return { message, signature: await signer.sign(message) };
}

/** Ids of the objects that a transaction registered, in the order of its calls. */
function registeredIds(events: SuiClientTypes.Event[]): string[] {
  return events
    .filter(({ eventType }) => parseStructTag(eventType).name === 'BlobRegistered')
    .map(({ bcs }) => walrusEventBcs.BlobRegistered.parse(bcs).object_id);
}

/**
 * Registers and certifies blobs together. The certificate of a deletable blob names its object, whose id is only
 * known once it is registered, so those take a second transaction; permanent ones are done in the first.
 * Throws `ChainRejectedError` and `ChainUnavailableError` for all of them.
 */
export async function storeBatch(parts: ChainParts, blobs: NewBlob[]): Promise<PaidObject[]> {
  const { chain, system, wallet, index, kept } = parts;
  const { epoch, nShards, prices } = await readWalrusState(chain, system);
  const early = await Promise.all(
    blobs.map((blob) => (blob.deletable ? undefined : certify(parts, epoch, blob))),
  );
  const registered = await wallet.execute(blobs.length, (transaction, wal) => {
    for (const [position, blob] of blobs.entries()) {
      const object = addRegistration(transaction, system, nShards, blob, wal);
      const certificate = early[position];
      if (certificate !== undefined) addCertification(transaction, system, object, certificate);
      const owner = certificate === undefined ? undefined : blob.sendObjectTo;
      transaction.transferObjects([object], owner ?? wallet.address);
    }
  });
  const ids = registeredIds(registered.events);
  if (ids.length !== blobs.length) throw new Error('the chain reports another number of registrations');
  const entries = blobs.map((blob, position) => ({ blob, objectId: ids[position] as string }));
  const late = entries.filter(({ blob }) => blob.deletable);
  const certified = late.length > 0 ? await certifyDeletable(parts, epoch, late, registered) : undefined;

  for (const { blob, objectId } of entries) if (blob.sendObjectTo === undefined) kept.add(objectId);
  index.take(registered.events, registered.digest);
  if (certified !== undefined) index.take(certified.events, certified.digest);
  const read = await readBlobObjects(chain, ids);
  return read.map(({ object }, position) => {
    const epochs = blobs[position]?.epochs ?? 0;
    return { object, cost: registrationCost(object.storage.storageSize, epochs, prices) };
  });
}

async function certifyDeletable(
  parts: ChainParts,
  epoch: number,
  entries: { blob: NewBlob; objectId: string }[],
  registered: Executed,
): Promise<Executed> {
  const certificates = await Promise.all(
    entries.map(({ blob, objectId }) => certify(parts, epoch, blob, objectId)),
  );
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
