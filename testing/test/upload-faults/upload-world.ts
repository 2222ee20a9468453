import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { addressOfPrivateKey, parsePrivateKey } from '@memrelay/chain/key-file';
import { readWalCoins } from '@memrelay/chain/wal-coins';
import { Transaction } from '@mysten/sui/transactions';
import { askFaucet } from 'memrelay/system/network-info';
import { keptKey } from 'memrelay/system/secret-file';
import { Pool } from 'pg';
import { startAuthenticatedPublisher } from '../../src/authenticated-publisher.ts';
import { createTestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';
import { type ChainWatch, startChainWatch } from './chain-watch.ts';
import { startSlowPublisher } from './slow-publisher.ts';

/** Through our own wallets, the network's publisher, or a publisher that requires a token for each store */
export type UploadPath = 'relay' | 'publisher' | 'tokens';

/** A network, one owner, and relayers that store the owner's memories by one of these paths. */
export interface UploadWorld {
  path: UploadPath;
  network: TestNetwork;
  aggregatorUrl: string;
  watch: ChainWatch;
  /** Reads the relayers' Postgres independently of them */
  database: Pool;
  relayers: readonly TestRelayer[];
  owner: TestOwner;
  /** Addresses that pay: our own wallets, or the publisher's */
  wallets: readonly string[];
  /** Seed of the key that signs the memories */
  writerKey: string;
  /** Removes all coins from one of our wallets; returns the digest of the transaction */
  drain(address: string): Promise<string>;
  close(): Promise<void>;
}

export interface UploadWorldOptions {
  path: UploadPath;
  relayers: number;
  wallets: number;
  /** Maximum memories per quilt; one blob each when omitted */
  quiltItems?: number;
  answerDelayMs: () => number;
}

/** Starts the world. Needs a Postgres, that of the test run or the environment, as for `createTestBackend`. */
export async function startUploadWorld(options: UploadWorldOptions): Promise<UploadWorld> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
    closing.push(backend.drop, network.close);
    if (backend.name !== 'postgres') throw new Error('Postgres is required: run with its services');
    const watch = await startChainWatch(network.chainUrl, options.answerDelayMs);
    closing.push(watch.close);
    const database = new Pool({ connectionString: backend.databaseUrl, max: 2 });
    closing.push(() => database.end());
    const keys = options.path === 'relay' ? await fundedWallets(network, options.wallets) : [];
    const payer = await payerOf(network, options.path, keys, (stop) => closing.push(stop));
    const environment: NodeJS.ProcessEnv = {
      CHAIN_RPC_URL: watch.url,
      STORE_QUILT_MAX_ITEMS: String(options.quiltItems ?? 1),
      ...payer.environment,
    };
    if (options.path !== 'relay') {
      const slow = await startSlowPublisher(
        environment.STORE_PUBLISHER_URL!,
        () => options.answerDelayMs() * publisherTransactions,
      );
      closing.push(slow.close);
      environment.STORE_PUBLISHER_URL = slow.url;
    }
    const relayers: TestRelayer[] = [];
    for (let i = 0; i < options.relayers; i++) {
      const relayer = await startTestRelayer(network, { ...backend, environment });
      closing.push(relayer.stop);
      relayers.push(relayer);
    }
    return {
      path: options.path,
      network,
      aggregatorUrl: payer.environment.STORE_AGGREGATOR_URL ?? network.blobstoreUrl,
      watch,
      database,
      relayers,
      owner: await createTestOwner(network),
      wallets: payer.wallets,
      writerKey: backend.keys.MEM_WRITER_KEYS,
      drain: (address) => drain(network, keys.find((key) => key.address === address)!),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A publisher responds after both of its transactions; a relay upload has an additional round trip. */
const publisherTransactions = 3;

interface Payer {
  wallets: string[];
  environment: NodeJS.ProcessEnv;
}

async function payerOf(
  network: TestNetwork,
  path: UploadPath,
  keys: readonly TestKey[],
  onStarted: (stop: () => Promise<void>) => void,
): Promise<Payer> {
  if (path === 'publisher') {
    const key = await keptKey(`${network.paths.keys}/blobstore-wallet`);
    return {
      wallets: [addressOfPrivateKey(key)],
      environment: { STORE_PUBLISHER_URL: network.blobstoreUrl },
    };
  }
  if (path === 'relay') {
    const environment = {
      STORE_PUBLISHER_URL: '',
      STORE_UPLOAD_RELAY_URL: network.blobstoreUrl,
      SERVER_CHAIN_PRIVATE_KEYS: keys.map(({ privateKey }) => privateKey).join(','),
    };
    return { wallets: keys.map(({ address }) => address), environment };
  }
  const secret = randomBytes(32).toString('hex');
  const { part, wallet } = await startAuthenticatedPublisher(network, secret);
  onStarted(() => part.stop());
  const environment = {
    STORE_PUBLISHER_URL: part.url,
    STORE_AGGREGATOR_URL: part.url,
    STORE_PUBLISHER_JWT_SECRET: secret,
  };
  return { wallets: [wallet], environment };
}

async function fundedWallets(network: TestNetwork, count: number): Promise<TestKey[]> {
  const wallets = Array.from({ length: count }, newTestKey);
  for (const { address } of wallets) await askFaucet(network.chainUrl, address);
  return wallets;
}

const drainAttempts = 50;

/** Removes all coins from a wallet. Retried if a concurrent transaction of the wallet has used the coins first. */
async function drain({ chain }: TestNetwork, { address, privateKey }: TestKey): Promise<string> {
  const signer = parsePrivateKey(privateKey);
  for (let attempt = 1; ; attempt++) {
    const { objects } = await chain.sui.core.listCoins({ owner: address });
    const wal = await readWalCoins(chain, address);
    const transaction = new Transaction();
    transaction.setGasPayment(
      objects.map(({ objectId, version, digest }) => ({ objectId, version, digest })),
    );
    const coins = [transaction.gas, ...wal.map(({ objectId }) => transaction.object(objectId))];
    transaction.transferObjects(coins, newTestKey().address);
    try {
      const result = await chain.sui.core.signAndExecuteTransaction({ transaction, signer });
      if (result.Transaction?.status.success) return result.Transaction.digest;
    } catch (error) {
      if (attempt === drainAttempts) throw error;
    }
  }
}

/** The process that a relayer started and watches. */
export async function sidecarPidOf(relayer: TestRelayer): Promise<number> {
  const { pid } = relayer.part();
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const [child] = children.trim().split(' ').map(Number);
  if (!child) throw new Error('the relayer has no sidecar');
  return child;
}
