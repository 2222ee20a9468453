import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StorageCommittee, storageCommittee } from '@memrelay/chain/walrus-committee';
import { type DirectoryLock, lockDirectory } from '@memrelay/process/dir-lock';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { defaultPorts } from '@memrelay/protocol/ports';
import { fromBase58 } from '@mysten/bcs';
import { Chain } from './chain/chain.ts';
import { blake2b256, seededKey } from './execution/hash.ts';
import { ModuleRegistry } from './execution/modules.ts';
import type { NativeModule } from './execution/native.ts';
import { ChainStore } from './execution/store.ts';
import { Faucet, faucetCoins } from './genesis/faucet.ts';
import { genesisObjects, keyServerObjects } from './genesis/genesis-objects.ts';
import { type NetworkIds, networkIds } from './genesis/network-ids.ts';
import { storageNodeObjects } from './genesis/storage-nodes.ts';
import { type WalrusGenesis, walrusEpochObjects, walrusObjects } from './genesis/walrus-objects.ts';
import { createKeyServers, type KeyServers } from './key-servers/key-servers.ts';
import { createAccountModule } from './move/account-module.ts';
import { frameworkModules } from './move/framework.ts';
import { Sponsor } from './sponsor/sponsor.ts';
import { createMetadataModule } from './walrus/blob-attributes.ts';
import { createBlobModule } from './walrus/blob-module.ts';
import { CertificateVerifier } from './walrus/certificate.ts';
import { createSharedBlobModule } from './walrus/shared-blob-module.ts';
import { createStakingModule, createStakingPoolModule } from './walrus/staking-module.ts';
import { createStorageModule } from './walrus/storage-module.ts';
import { createEventsModule, createSystemModule } from './walrus/system-module.ts';

/** Prices that Walrus' storage nodes vote for by default, in FROST. */
const prices = { storage: 100_000n, write: 20_000n };
const maxEpochsAhead = 53;
const defaultShards = 1000;
const defaultEpochMs = 14 * 24 * 60 * 60 * 1000;
/** Used until a blob store announces another URL */
const defaultStorageNodesUrl = `http://127.0.0.1:${defaultPorts.blobstore}`;

export interface NetworkOptions {
  /** Directory for all data; without it the network is in memory and ends with the process */
  dataDir?: string;
  /** Fixed when the network is created. Default 1000, as on the real networks */
  nShards?: number;
  /** Milliseconds, fixed when the network is created. Default 14 days */
  epochDurationMs?: number;
  /** Further native modules, for tests */
  modules?: readonly NativeModule[];
  /** Milliseconds since 1970, for tests of expiry */
  now?: () => number;
}

/** The network without its HTTP server. */
export interface Network {
  chain: Chain;
  ids: NetworkIds;
  faucet: Faucet;
  keyServers: KeyServers;
  /** The storage nodes, whose keys all derive from one secret */
  committee: StorageCommittee;
  sponsor: Sponsor;
  /** Key of the sponsor's API, hex */
  sponsorApiKey: string;
  /** Authorises `/admin/`, hex */
  adminToken: string;
  /** Registers the key servers' address on chain */
  registerKeyServers(baseUrl: string): void;
  /**
   * Writes the URL of the storage nodes to the chain and remembers it. Does nothing if the chain already has this
   * URL.
   */
  registerStorageNodes(url: string): void;
  info(baseUrl: string): LocalnetInfo;
  close(): void;
}

/**
 * Opens the network in `dataDir`, or creates it. Throws `DirectoryLockedError` if another process uses the
 * directory, and an error that names the setting if the network was created with other shards or epochs.
 */
export function openNetwork(options: NetworkOptions = {}): Network {
  const { dataDir } = options;
  const lock = dataDir === undefined ? undefined : lockDirectory(dataDir);
  try {
    return open(options, lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function open(options: NetworkOptions, lock: DirectoryLock | undefined): Network {
  const { dataDir } = options;
  const seed = dataDir === undefined ? randomBytes(32) : secretFile(join(dataDir, 'seed'));
  const store = new ChainStore(dataDir === undefined ? ':memory:' : join(dataDir, 'chain.sqlite'));
  const ids = networkIds(seed);
  const nodeSecret = seededKey(seed, 'storage-node');
  const adminToken = Buffer.from(seededKey(seed, 'admin-token')).toString('hex');
  const sponsorApiKey = Buffer.from(seededKey(seed, 'sponsor-api-key')).toString('hex');
  if (dataDir !== undefined) {
    writeSecret(join(dataDir, 'storage-node.key'), Buffer.from(nodeSecret).toString('hex'));
    writeSecret(join(dataDir, 'admin.token'), adminToken);
    writeSecret(join(dataDir, 'sponsor.key'), sponsorApiKey);
  }
  const nShards = fixed(store, 'nShards', options.nShards, defaultShards);
  const epochDurationMs = fixed(store, 'epochDurationMs', options.epochDurationMs, defaultEpochMs);
  const committee = storageCommittee(nodeSecret, nShards);
  const walrus: WalrusGenesis = { ids, committee, maxEpochsAhead, prices, epochDurationMs };
  const modules = new ModuleRegistry([
    ...frameworkModules,
    ...networkModules(walrus),
    ...(options.modules ?? []),
  ]);
  const chain = new Chain({
    store,
    modules,
    genesisDigest: blake2b256(Buffer.from('memrelay-localnet:genesis:'), seed),
    epochDurationMs,
    epochObjects: (epoch) => walrusEpochObjects(walrus, epoch),
    ...(options.now && { now: options.now }),
  });
  const first = store.transactionAt(0);
  if (first && first.checkpointDigest !== chain.chainIdentifier) {
    throw new Error('the seed file does not belong to the chain in this data directory');
  }
  const faucet = new Faucet(chain, seededKey(seed, 'faucet'), faucetCoins(seed));
  chain.start(() => [
    ...genesisObjects(seed, ids, modules.packageIds(), faucet.address),
    ...walrusObjects(walrus),
    ...walrusEpochObjects(walrus, 1),
  ]);
  /** Also adds the committee and the storage nodes' objects to a chain of an earlier release. */
  const registerStorageNodes = (url: string) => {
    store.setMeta('storageNodesUrl', url);
    chain.writeSystemObjects('storage nodes', [
      ...walrusEpochObjects(walrus, chain.moment().epoch),
      ...storageNodeObjects(walrus, url),
    ]);
  };
  registerStorageNodes(store.getMeta('storageNodesUrl') ?? defaultStorageNodesUrl);
  const keyServers = createKeyServers({ seed: seededKey(seed, 'key-servers'), policy: chain });
  return {
    chain,
    ids,
    faucet,
    keyServers,
    committee,
    sponsor: new Sponsor(chain, faucet, seededKey(seed, 'sponsor'), options.now),
    sponsorApiKey,
    adminToken,
    registerKeyServers: (baseUrl) =>
      chain.writeSystemObjects('key servers', keyServerObjects(keyServers.genesis(baseUrl))),
    registerStorageNodes,
    info: (baseUrl) => describe(chain, walrus, keyServers, baseUrl),
    close: () => {
      store.close();
      lock?.release();
    },
  };
}

function networkModules({ ids, committee }: WalrusGenesis): NativeModule[] {
  const { walrusPackageId: packageId, walType } = ids;
  const verifier = new CertificateVerifier(committee);
  const settings = { packageId, walType, nShards: committee.nShards, prices, maxEpochsAhead, verifier };
  return [
    createAccountModule(ids.accountPackageId),
    createSystemModule(settings),
    createEventsModule(packageId),
    createStorageModule(packageId),
    createMetadataModule(packageId),
    createBlobModule(packageId),
    createSharedBlobModule(settings),
    createStakingModule(packageId, walType),
    createStakingPoolModule(packageId),
    { packageId: walType.split('::')[0]!, name: 'wal', structs: {}, functions: {} },
  ];
}

function describe(
  chain: Chain,
  walrus: WalrusGenesis,
  keyServers: KeyServers,
  baseUrl: string,
): LocalnetInfo {
  const { ids, committee, epochDurationMs } = walrus;
  const moment = chain.moment();
  return {
    network: 'localnet',
    chainId: Buffer.from(fromBase58(chain.chainIdentifier)).subarray(0, 4).toString('hex'),
    rpcUrl: baseUrl,
    packageId: ids.accountPackageId,
    registryId: ids.registryId,
    walrus: {
      packageId: ids.walrusPackageId,
      systemObjectId: ids.systemObjectId,
      stakingObjectId: ids.stakingObjectId,
      walType: ids.walType,
      nShards: committee.nShards,
      epoch: moment.epoch,
      epochDurationMs,
      epochStartMs: moment.epochStartMs,
      maxEpochsAhead,
    },
    keyServers: keyServers.info(baseUrl),
    threshold: keyServers.threshold,
    committee: keyServers.committee.info(baseUrl),
  };
}

/** A setting that the chain's contents depend on, so its first value is kept. */
function fixed(store: ChainStore, name: string, configured: number | undefined, otherwise: number): number {
  const known = store.getMeta(name);
  if (known === undefined) {
    store.setMeta(name, String(configured ?? otherwise));
    return configured ?? otherwise;
  }
  if (configured !== undefined && configured !== Number(known)) {
    throw new Error(`${name} is ${configured}, but this data directory was created with ${known}`);
  }
  return Number(known);
}

/** The secret of the network: 32 random bytes in a file. All keys of the network are derived from them. */
function secretFile(path: string): Uint8Array {
  if (!existsSync(path)) {
    // Written under another name first, so that a kill does not leave a partial seed.
    writeFileSync(`${path}.new`, randomBytes(32), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  const seed = readFileSync(path);
  if (seed.length !== 32) throw new Error(`${path} is damaged: it has ${seed.length} bytes, not 32`);
  return seed;
}

function writeSecret(path: string, text: string): void {
  writeFileSync(path, `${text}\n`, { mode: 0o600 });
}
