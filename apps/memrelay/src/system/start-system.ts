import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addressOfPrivateKey } from '@memrelay/chain/key-file';
import { lockDirectory } from '@memrelay/process/dir-lock';
import { type RunningPart, startPart } from '@memrelay/process/start-part';
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
  type PartSettings,
  relayerSettings,
} from './part-settings.ts';
import { requireFreePorts, type SystemPorts } from './ports.ts';
import { keptKey } from './secret-file.ts';
import { type SharedPartName, type SharedParts, startSharedParts } from './shared-parts.ts';
import { type SupervisedProcess, supervise } from './supervisor.ts';
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

/**
 * Starts the localnet on a data directory, and then blob store, relayer (which starts the sidecar) and dashboard side
 * by side: the relayer as a process, the others in a process that they share. Throws when the directory is in use, a
 * port is taken or a part does not start; nothing is left running.
 */
export async function startSystem(options: SystemOptions): Promise<RunningSystem> {
  const { dataDir, ports, environment, onProgress } = options;
  checkListenHost(environment);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dataDir);
  const { onOutput, onGivenUp } = options;
  let shared: SharedParts | undefined;
  let relayerProcess: SupervisedProcess<RunningPart> | undefined;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    shared?.letEnd();
    relayerProcess?.letEnd();
    stopped ??= stopAll();
    return stopped;
  };
  const stopAll = async (): Promise<void> => {
    // Its wallet signs no more when the relayer hands its work back, while the others still answer
    await shared?.close('dashboard');
    await relayerProcess?.stop();
    await shared?.stop();
    await rm(localDashboardPath(dataDir), { force: true });
    lock.release();
  };
  try {
    await requireFreePorts(ports);
    const paths = systemPaths(dataDir);
    onProgress('Starting the local network (chain and key servers)');
    const access = localAccess(environment, ports);
    shared = await startSharedParts({ environment, onOutput, onGivenUp });
    const run = (settings: PartSettings<SharedPartName>): Promise<string> => {
      options.signal?.throwIfAborted();
      return shared!.start(settings);
    };
    const chainUrl = await run(localnetSettings(environment, ports, paths, access));
    const network = await readLocalnetInfo(chainUrl);

    onProgress('Starting the blob store, the relayer and its sidecar');
    const storeWallet = await keptKey(join(paths.keys, 'blobstore-wallet'));
    const relayerUrl = `http://127.0.0.1:${ports.relayer}`;
    const urls = { chain: chainUrl, blobstore: `http://127.0.0.1:${ports.blobstore}` };
    const token = randomBytes(32).toString('hex');
    const startBlobstore = async (): Promise<string> => {
      await askFaucet(urls.chain, addressOfPrivateKey(storeWallet));
      return run(blobstoreSettings(environment, ports, paths, urls.chain, storeWallet, access));
    };
    // A data directory that belongs to another network fails here, before a relayer has opened its database
    const checked = localIdentity(paths, network, urls.chain, relayerUrl);
    const startRelayer = async (): Promise<string> => {
      await checked;
      const settings = await relayerSettings(environment, ports, paths, dataDir, network, urls, access);
      options.signal?.throwIfAborted();
      relayerProcess = await superviseRelayer(settings, { onOutput, onGivenUp });
      return relayerProcess.current.url;
    };
    const startDashboard = async (): Promise<string> =>
      run(dashboardSettings(environment, ports, paths, (await checked).credentials, token));
    // They need only the chain to start: each uses the others when a request comes
    const [identity, blobstore, relayer, dashboard] = await allOf(
      checked,
      startBlobstore(),
      startRelayer(),
      startDashboard(),
    );
    const localDashboard: LocalDashboard = {
      url: dashboard,
      relayerUrl: relayer,
      blobstoreUrl: blobstore,
      chainUrl,
      token,
    };
    await writeSecretFile(localDashboardPath(dataDir), `${JSON.stringify(localDashboard)}\n`);
    options.signal?.throwIfAborted();
    return {
      urls: { relayer, localnet: chainUrl, blobstore, dashboard },
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

function superviseRelayer(
  settings: PartSettings<'relayer'>,
  { onOutput, onGivenUp }: Pick<SystemOptions, 'onOutput' | 'onGivenUp'>,
): Promise<SupervisedProcess<RunningPart>> {
  const { name } = settings;
  return supervise({
    name,
    start: () =>
      startPart({
        ...settings,
        onLine: (line) => onOutput(name, `${line}\n`),
        onStderr: (text) => onOutput(name, text),
      }),
    onRestart: (how) => onOutput(name, `${name} ended (${how}); restarting it\n`),
    onGivenUp,
  });
}

/** All results, or the first failure once all have settled, so that a part that did start can be stopped. */
async function allOf<T extends unknown[]>(...starts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(starts);
  return (await Promise.all(starts)) as T;
}
