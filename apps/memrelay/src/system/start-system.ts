import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOfPrivateKey } from '@memrelay/chain/key-file';
import { lockDirectory } from '@memrelay/process/dir-lock';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { type LocalDashboard, localDashboardPath } from '@memrelay/sdk/local-dashboard-node';
import { localIdentity } from './identity.ts';
import { askFaucet, readLocalnetInfo } from './network-info.ts';
import {
  blobstoreSettings,
  checkListenHost,
  dashboardSettings,
  localAccess,
  localnetSettings,
  type PartName,
  type PartSettings,
  relayerSettings,
} from './part-settings.ts';
import { requireFreePorts, type SystemPorts } from './ports.ts';
import { keptKey } from './secret-file.ts';
import { type SupervisedPart, supervisePart } from './supervisor.ts';
import { systemPaths } from './system-paths.ts';

export interface SystemOptions {
  dataDir: string;
  ports: SystemPorts;
  environment: NodeJS.ProcessEnv;
  /** The current step, for a waiting person */
  onProgress: (step: string) => void;
  /** Output of a part */
  onOutput: (part: string, text: string) => void;
  /** A part ended too often and is no longer restarted; the system should be stopped */
  onGivenUp: (reason: string) => void;
  /** Aborts a start in progress; the promise rejects with its reason */
  signal?: AbortSignal;
}

export interface RunningSystem {
  urls: { relayer: string; localnet: string; blobstore: string; dashboard: string };
  credentials: CredentialFile;
  credentialsPath: string;
  /** True if this start created the key, and perhaps the account */
  created: boolean;
  /** True if the earlier key was revoked or had expired */
  renewed: boolean;
  /** False when the owner has switched the account off */
  active: boolean;
  /** The dashboard's URL, and the secret from which pairing links derive */
  dashboard: LocalDashboard;
  /** Stops all parts and unlocks the data directory; a second call waits for the first */
  stop(): Promise<void>;
}

/** The dashboard first: its wallet signs no more when the relayer hands its work back. */
const stopOrder: readonly PartName[] = ['dashboard', 'relayer', 'blobstore', 'localnet'];

/**
 * Starts the localnet on a data directory, and then blob store, relayer (which starts the sidecar) and dashboard side
 * by side. Throws when the directory is in use, a port is taken or a part does not start; nothing is left running.
 */
export async function startSystem(options: SystemOptions): Promise<RunningSystem> {
  const { dataDir, ports, environment, onProgress } = options;
  checkListenHost(environment);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dataDir);
  const started = new Map<PartName, SupervisedPart>();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    for (const part of started.values()) part.letEnd();
    stopped ??= stopAll();
    return stopped;
  };
  const stopAll = async (): Promise<void> => {
    // The relayer hands its work back while the others still answer
    for (const name of stopOrder) await started.get(name)?.stop();
    await rm(localDashboardPath(dataDir), { force: true });
    lock.release();
  };
  const run = async (settings: PartSettings): Promise<SupervisedPart> => {
    options.signal?.throwIfAborted();
    const part = await supervisePart({
      settings,
      onLine: (line) => options.onOutput(settings.name, `${line}\n`),
      onStderr: (text) => options.onOutput(settings.name, text),
      onRestart: (how) => options.onOutput(settings.name, `${settings.name} ended (${how}); restarting it\n`),
      onGivenUp: options.onGivenUp,
    });
    started.set(settings.name, part);
    return part;
  };
  try {
    await requireFreePorts(ports);
    const paths = systemPaths(dataDir);
    onProgress('Starting the local network (chain and key servers)');
    const access = localAccess(environment, ports);
    const localnet = await run(localnetSettings(environment, ports, paths, access));
    const network = await readLocalnetInfo(localnet.url);

    onProgress('Starting the blob store, the relayer and its sidecar');
    const storeWallet = await keptKey(join(paths.keys, 'blobstore-wallet'));
    const relayerUrl = `http://127.0.0.1:${ports.relayer}`;
    const urls = { chain: localnet.url, blobstore: `http://127.0.0.1:${ports.blobstore}` };
    const token = randomBytes(32).toString('hex');
    const startBlobstore = async (): Promise<SupervisedPart> => {
      await askFaucet(urls.chain, addressOfPrivateKey(storeWallet));
      return run(blobstoreSettings(environment, ports, paths, urls.chain, storeWallet, access));
    };
    // A data directory that belongs to another network fails here, before a relayer has opened its database
    const checked = localIdentity(paths, network, urls.chain, relayerUrl);
    const startRelayer = async (): Promise<SupervisedPart> => {
      await checked;
      return run(await relayerSettings(environment, ports, paths, dataDir, network, urls, access));
    };
    const startDashboard = async (): Promise<SupervisedPart> =>
      run(dashboardSettings(environment, ports, paths, (await checked).credentials, token));
    // They need only the chain to start: each uses the others when a request comes
    const [identity, blobstore, relayer, dashboard] = await allOf(
      checked,
      startBlobstore(),
      startRelayer(),
      startDashboard(),
    );
    const localDashboard: LocalDashboard = {
      url: dashboard.url,
      relayerUrl: relayer.url,
      blobstoreUrl: blobstore.url,
      chainUrl: localnet.url,
      token,
    };
    await writeSecretFile(localDashboardPath(dataDir), `${JSON.stringify(localDashboard)}\n`);
    options.signal?.throwIfAborted();
    return {
      urls: {
        relayer: relayer.url,
        localnet: localnet.url,
        blobstore: blobstore.url,
        dashboard: dashboard.url,
      },
      credentials: identity.credentials,
      credentialsPath: paths.credentials,
      created: identity.created,
      renewed: identity.renewed,
      active: identity.active,
      dashboard: localDashboard,
      stop,
    };
  } catch (error) {
    await stop();
    // Ctrl-C also reaches the parts and ends them before they are ready, which is not a failure
    options.signal?.throwIfAborted();
    throw error;
  }
}

/** All results, or the first failure once all have settled, so that a part that did start can be stopped. */
async function allOf<T extends unknown[]>(...starts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(starts);
  return (await Promise.all(starts)) as T;
}
