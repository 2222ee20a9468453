import { createChainClient } from '@memrelay/chain/chain-client';
import { ChainUnavailableError } from '@memrelay/chain/chain-errors';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { ownedObjects } from '@memrelay/chain/owned-objects';
import { storageCommittee } from '@memrelay/chain/walrus-committee';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import {
  type BlobRegistry,
  type CertifiedObject,
  RegistryRefusedError,
  RegistryUnavailableError,
} from '../blob-registry.ts';
import { announceStorageNodes } from './announce-nodes.ts';
import { createBatcher } from './batcher.ts';
import { type CertifiedBlob, createBlobIndex, isCertified, type KnownBlob } from './blob-index.ts';
import { readObjects } from './blob-objects.ts';
import { createFreshness } from './freshness.ts';
import { createNodeSigner, readNodeKey } from './node-key.ts';
import { createObjectChanges } from './object-changes.ts';
import { createObjectListing } from './object-listing.ts';
import { createRecentState } from './recent-state.ts';
import { createSharedRead } from './shared-read.ts';
import { createSpareStorage } from './spare-storage.ts';
import { createStorageNode, type StorageNode } from './storage-node.ts';
import { type ChainParts, registerAlone, type Store, storeEach } from './store-batch.ts';
import { createWallet } from './wallet.ts';
import { fetchChainInfo, readWalrusState, readWalrusSystem } from './walrus-system.ts';

export interface ChainRegistryOptions {
  /** gRPC-web address of the chain; `/info` there returns the ids of the Walrus objects */
  url: string;
  /** `suiprivkey1…` of the account that pays */
  walletKey: string;
  /** File with the storage node's secret key */
  nodeKeyFile: string;
}

export interface ChainRegistry extends BlobRegistry {
  nShards: number;
  /** Short identifier of the chain */
  chainId: string;
  storageNode: StorageNode;
  /** Registers the URL of the storage nodes on the chain. Throws if the chain rejects it. */
  announce(url: string): Promise<void>;
}

/** Maximum number of blobs per transaction; each adds four commands, and a full node accepts 1024. */
const maxBatch = 50;

/**
 * An unreachable chain becomes `RegistryUnavailableError` ("unknown"), never an empty result. Rejections stay
 * errors.
 */
async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ChainUnavailableError ? unavailable(error) : error;
  }
}

function unavailable(cause: unknown): RegistryUnavailableError {
  return new RegistryUnavailableError('the chain is unreachable', { cause });
}

async function connect({ url, walletKey, nodeKeyFile }: ChainRegistryOptions) {
  const info = await fetchChainInfo(url);
  const chain = createChainClient({ network: info.network, baseUrl: url });
  const committee = storageCommittee(await readNodeKey(nodeKeyFile), info.walrus.nShards);
  const system = await readWalrusSystem(chain, info.walrus, committee.bitmap);
  const state = await readWalrusState(chain, system);
  const nodeKeys = committee.members.map(({ publicKeyUncompressed }) => publicKeyUncompressed);
  if (!Buffer.concat(state.nodeKeys).equals(Buffer.concat(nodeKeys))) {
    throw new Error(`BLOBSTORE_NODE_KEY_FILE: ${nodeKeyFile} is not the key of this chain's storage nodes`);
  }
  const wallet = createWallet(chain, parseWalletKey(walletKey), system.walType);
  const kept = new Set<string>();
  const blobs = { owner: wallet.address, type: `${system.packageId}::blob::Blob` };
  for await (const { objectId } of ownedObjects(chain, blobs)) kept.add(objectId);
  const index = createBlobIndex(chain, system.packageId);
  await index.catchUp();
  const signer = createNodeSigner(committee.secretKey);
  const recent = createRecentState(state, () => readWalrusState(chain, system));
  const parts: ChainParts = { chain, system, wallet, signer, index, kept, state: recent, committee };
  return { parts, state, chainId: info.chainId };
}

function parseWalletKey(text: string): Ed25519Keypair {
  try {
    return parsePrivateKey(text);
  } catch (error) {
    throw new Error(`BLOBSTORE_WALLET_KEY: ${(error as Error).message}`);
  }
}

/**
 * Opens a registry on chain, which uses transactions of the publisher's account. Throws a plain error that names
 * the setting if the chain does not respond or the node key does not belong to its committee.
 */
export async function openChainRegistry(options: ChainRegistryOptions): Promise<ChainRegistry> {
  const { parts, state, chainId } = await connect(options);
  const { chain, system, wallet, index, kept, signer } = parts;
  const spares = createSpareStorage(chain, system.packageId, wallet.address);
  const store = createBatcher(maxBatch, (stores: Store[]) => storeEach(parts, stores));
  /** Reads run one at a time, so that the events of a page are not applied twice. */
  const catchUp = createSharedRead(() => index.catchUp());
  const freshness = createFreshness(state.epoch, {
    async everything() {
      try {
        const [{ epoch }] = await Promise.all([readWalrusState(chain, system), catchUp()]);
        index.prune(epoch);
        return epoch;
      } catch (error) {
        throw unavailable(error);
      }
    },
    events: catchUp,
  });
  const changes = createObjectChanges(parts);
  const listing = createObjectListing(parts, freshness);
  const node = createStorageNode(parts, freshness);

  /** Passes the spare storage for a blob to `use`, if there is any. */
  async function withSpare<T>(
    storageId: string | undefined,
    use: (spare: Pick<Store, 'spare'>) => Promise<T>,
  ) {
    return storageId === undefined ? use({}) : spares.claim(storageId, (spare) => use({ spare }));
  }

  /**
   * Records registrations that the publisher owns without knowing, because the response to its transaction was
   * lost.
   */
  async function adopt(registered: KnownBlob[]): Promise<void> {
    const unknown = registered.map(({ objectId }) => objectId).filter((id) => !kept.has(id));
    for (const { objectId, owner } of (await readObjects(chain, unknown)).values()) {
      const isOwn = owner.$kind === 'AddressOwner' && owner.AddressOwner === wallet.address;
      const known = index.objects.get(objectId);
      // If it was certified in the meantime, it may be about to be transferred to another owner.
      if (isOwn && known !== undefined && !isCertified(known)) kept.add(objectId);
    }
  }

  function toCertified({
    objectId,
    blobId,
    endEpoch,
    deletable,
    certificate,
  }: CertifiedBlob): CertifiedObject {
    return { objectId, blobId, endEpoch, deletable, event: certificate.event, owned: kept.has(objectId) };
  }

  return {
    nShards: state.nShards,
    chainId,

    storageNode: {
      ...node,
      registration: (blobId, deletableObject) => translated(node.registration(blobId, deletableObject)),
      registeredSize: (blobId) => translated(node.registeredSize(blobId)),
      status: (blobId) => translated(node.status(blobId)),
      confirm: (registration) => translated(node.confirm(registration)),
      transaction: (digest) => translated(node.transaction(digest)),
    },

    announce: (url) => announceStorageNodes({ chainUrl: options.url, chainId, signer }, url),

    currentEpoch: () => freshness.now(),

    async store(blob, content) {
      // A permanent blob is certified in the transaction that registers it, so its bytes come first.
      await content();
      return translated(withSpare(blob.storageId, (spare) => store({ blob, ...spare })));
    },

    register: (blob) =>
      translated(withSpare(blob.storageId, (spare) => registerAlone(parts, { blob, ...spare }))),

    certify: (objectId, extendBy, after) => translated(changes.certify(objectId, extendBy, after)),
    extend: (objectId, epochs, after) => translated(changes.extend(objectId, epochs, after)),
    setAttributes: (objectId, wanted) => translated(changes.setAttributes(objectId, wanted)),
    delete: (objectId) => translated(changes.delete(objectId)),

    async advanceEpoch() {
      throw new RegistryRefusedError('not-offered', 'epochs are advanced by the chain');
    },

    liveObjects: (blobId) =>
      freshness.ask(
        (epoch) => index.objects.liveOf(blobId, epoch).filter(isCertified).map(toCertified),
        (found) => found.some(({ deletable }) => !deletable),
      ),

    async uncertified(blobId) {
      const epoch = await freshness.now();
      const look = () => index.objects.liveOf(blobId, epoch).filter((known) => !isCertified(known));
      await translated(adopt(look()));
      const registered = look();
      return registered.map(({ objectId, endEpoch, deletable }) => ({
        objectId,
        blobId,
        endEpoch,
        deletable,
        owned: kept.has(objectId),
      }));
    },

    // The upload relay certifies blobs of any client, and a registration can be certified until it expires.
    async isPromised(blobId) {
      const epoch = await freshness.now();
      return index.objects.liveOf(blobId, epoch).length > 0;
    },

    async keptAmong(blobIds) {
      const epoch = await freshness.now();
      return new Set(blobIds.filter((blobId) => index.objects.liveOf(blobId, epoch).length > 0));
    },

    async spareStorage() {
      const [epoch, listed] = await Promise.all([freshness.now(), translated(spares.list())]);
      return listed.filter(({ endEpoch }) => endEpoch > epoch);
    },

    async deletedThisEpoch(blobId) {
      return index.wasDeletedIn(blobId, await freshness.now());
    },

    hasEnded: async (blobId) => index.hasEnded(blobId),

    forgetBlob: (blobId) => index.forgetBlob(blobId),

    onDeleted: (listener) => index.onDeleted(listener),

    find: (objectId) => translated(listing.find(objectId)),
    list: (page) => translated(listing.list(page)),
    listBlobIds: (page) => translated(listing.listBlobIds(page)),

    close: () => signer.close(),
  };
}
