import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChainClient, createChainClient } from '@memrelay/chain/chain-client';
import { addressOfPrivateKey } from '@memrelay/chain/key-file';
import { freePorts } from '@memrelay/process/free-ports';
import { type RunningPart, startPart } from '@memrelay/process/start-part';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { askFaucet, readLocalnetInfo } from 'memrelay/system/network-info';
import { blobstoreSettings, localnetSettings, type PartSettings } from 'memrelay/system/part-settings';
import { keptKey } from 'memrelay/system/secret-file';
import { type SystemPaths, systemPaths } from 'memrelay/system/system-paths';

/** A chain with key servers and a blob store, as separate processes on free ports and a temporary directory. */
export interface TestNetwork {
  info: LocalnetInfo;
  chainUrl: string;
  blobstoreUrl: string;
  chain: ChainClient;
  dataDir: string;
  paths: SystemPaths;
  /** Output of the parts, for failing tests */
  logs(): string;
  localnet: RunningPart;
  blobstore: RunningPart;
  close(): Promise<void>;
}

export async function startTestNetwork(): Promise<TestNetwork> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memrelay-network-'));
  const paths = systemPaths(dataDir);
  const [localnetPort, blobstorePort] = await freePorts(2);
  const ports = { relayer: 0, sidecar: 0, dashboard: 0, localnet: localnetPort!, blobstore: blobstorePort! };
  const written: string[] = [];
  const run = ({ name, entry, environment }: PartSettings): Promise<RunningPart> => {
    const keep = (text: string): void => void written.push(`[${name}] ${text}`);
    return startPart({ name, entry, environment, onLine: keep, onStderr: keep });
  };
  const started: RunningPart[] = [];
  const close = async (): Promise<void> => {
    for (const part of started.splice(0).reverse()) await part.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const localnet = await run(localnetSettings(process.env, ports, paths));
    started.push(localnet);
    const storeWallet = await keptKey(join(paths.keys, 'blobstore-wallet'));
    await askFaucet(localnet.url, addressOfPrivateKey(storeWallet));
    const blobstore = await run(blobstoreSettings(process.env, ports, paths, localnet.url, storeWallet));
    started.push(blobstore);
    return {
      info: await readLocalnetInfo(localnet.url),
      chainUrl: localnet.url,
      blobstoreUrl: blobstore.url,
      chain: createChainClient({ network: 'localnet', baseUrl: localnet.url }),
      dataDir,
      paths,
      logs: () => written.join('\n'),
      localnet,
      blobstore,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
