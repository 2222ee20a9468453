import { createChainClient } from '@memrelay/chain/chain-client';
import { ChainUnavailableError } from '@memrelay/chain/chain-errors';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import {
  type AfterStore,
  type BlobRegistry,
  type NewBlob,
  RegistryRefusedError,
  RegistryUnavailableError,
} from '../blob-registry.ts';
import { extensionCost } from '../pricing.ts';
import { createBatcher } from './batcher.ts';
import { listOwnedBlobs, readBlobObjects } from './blob-objects.ts';
import { createCertifiedIndex } from './certified-index.ts';
import { createFreshness } from './freshness.ts';
import { createNodeSigner, publicKeyOf, readNodeKey } from './node-key.ts';
import { createRecentState } from './recent-state.ts';
import { type ChainParts, storeEach } from './store-batch.ts';
import { createWallet } from './wallet.ts';
import { addExtension } from './walrus-calls.ts';
import { fetchChainInfo, readWalrusState, readWalrusSystem } from './walrus-system.ts';

export interface ChainRegistryOptions {
  /** gRPC-web address of the chain; its `/info` names the Walrus objects */
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
}

/** Most blobs in one transaction; each adds four commands, and a full node takes 1024. */
const maxBatch = 50;

/** A chain that cannot be asked is not known now, never "there is none"; what it refuses stays an error. */
async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ChainUnavailableError ? unavailable(error) : error;
  }
}

async function notOffered(): Promise<never> {
  throw new RegistryRefusedError('not-offered', 'this is not offered on chain');
}

function unavailable(cause: unknown): RegistryUnavailableError {
  return new RegistryUnavailableError('the chain cannot be asked', { cause });
}

async function connect({ url, walletKey, nodeKeyFile }: ChainRegistryOptions) {
  const info = await fetchChainInfo(url);
  const chain = createChainClient({ network: info.network, baseUrl: url });
  const system = await readWalrusSystem(chain, info.walrus);
  const state = await readWalrusState(chain, system);
  const secretKey = await readNodeKey(nodeKeyFile);
  const [nodeKey, ...others] = state.nodeKeys;
  if (others.length > 0 || !nodeKey || !Buffer.from(nodeKey).equals(publicKeyOf(secretKey))) {
    throw new Error(`BLOBSTORE_NODE_KEY_FILE: ${nodeKeyFile} is not the key of the only storage node`);
  }
  const wallet = createWallet(chain, parseWalletKey(walletKey), system.walType);
  const kept = new Set(await listOwnedBlobs(chain, system.packageId, wallet.address));
  const index = createCertifiedIndex(chain, system.packageId, kept);
  await index.catchUp();
  const signer = createNodeSigner(secretKey);
  const recent = createRecentState(state, () => readWalrusState(chain, system));
  const parts: ChainParts = { chain, system, wallet, signer, index, kept, state: recent };
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
 * A registry on chain, by transactions of the publisher's own account. Throws a plain error that names the
 * setting when the chain does not answer or the node key is not that of its committee.
 */
export async function openChainRegistry(options: ChainRegistryOptions): Promise<ChainRegistry> {
  const { parts, state, chainId } = await connect(options);
  const { chain, system, wallet, index, kept, signer } = parts;
  const store = createBatcher(maxBatch, (blobs: NewBlob[]) => storeEach(parts, blobs));
  const freshness = createFreshness(state.epoch, async () => {
    try {
      const [{ epoch }] = await Promise.all([readWalrusState(chain, system), index.catchUp()]);
      return epoch;
    } catch (error) {
      throw unavailable(error);
    }
  });

  async function extend(objectId: string, epochs: number, { sendObjectTo }: AfterStore = {}) {
    const [before] = await readBlobObjects(chain, [objectId]);
    if (before === undefined) throw new Error(`${objectId} cannot be read`);
    const { prices } = await parts.state.get();
    const executed = await wallet.execute(1, (transaction, wal) => {
      const blob = transaction.objectRef(before.ref);
      addExtension(transaction, system, blob, epochs, wal);
      if (sendObjectTo !== undefined) transaction.transferObjects([blob], sendObjectTo);
    });
    if (sendObjectTo !== undefined) kept.delete(objectId);
    index.take(executed.events, executed.digest);
    const { storage } = before.object;
    const certifiedEpoch = before.object.certifiedEpoch;
    if (certifiedEpoch === null) throw new Error(`${objectId} was prolonged without a certificate`);
    const object = {
      ...before.object,
      certifiedEpoch,
      storage: { ...storage, endEpoch: storage.endEpoch + epochs },
    };
    return { object, cost: extensionCost(storage.storageSize, epochs, prices) };
  }

  return {
    nShards: state.nShards,
    chainId,

    currentEpoch: () => freshness.now(),

    async store(blob, content) {
      if (blob.share || blob.burn || blob.attributes !== undefined) await notOffered();
      await content();
      return translated(store(blob));
    },

    extend: (objectId, epochs, after) => translated(extend(objectId, epochs, after)),

    register: notOffered,
    certify: notOffered,
    setAttributes: notOffered,
    delete: notOffered,
    advanceEpoch: notOffered,
    list: notOffered,
    listBlobIds: notOffered,

    // Registrations without a certificate, spare storage and deletions are not followed.
    uncertified: async () => [],
    spareStorage: async () => [],
    deletedThisEpoch: async () => false,

    liveObjects: (blobId) => freshness.ask((epoch) => index.objects.liveOf(blobId, epoch)),

    async find(objectId) {
      const [found] = await freshness.ask((epoch) => {
        const entry = index.objects.liveById(objectId, epoch);
        return entry === undefined ? [] : [entry];
      });
      return found && { ...found, attributes: {} };
    },

    close: () => signer.close(),
  };
}
