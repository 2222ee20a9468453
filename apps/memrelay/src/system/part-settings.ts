import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { smallMemory } from '@memrelay/process/small-memory';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { declaredVariables, variablesOf } from '@memrelay/protocol/variables';
import type { VariableReader } from '@memrelay/protocol/variables/declaration';
import type { SystemPorts } from './ports.ts';
import { keptKey } from './secret-file.ts';
import type { SystemPaths } from './system-paths.ts';

/**
 * Shards of the local blob store: a blob id takes a millisecond, and a quilt holds 20 patches (design.md, "Processes").
 */
const localShards = 31;

export type PartName = keyof typeof entries;

export interface PartSettings<Name extends PartName = PartName> {
  name: Name;
  entry: string;
  environment: NodeJS.ProcessEnv;
  /** Options of Node for this process alone, not for those that it starts */
  nodeFlags?: readonly string[];
}

/** Access control of a local system. Without it, as in tests, every process on this machine has access. */
export interface LocalAccess {
  /** Origins of pages that may do more than read, comma-separated */
  allowedOrigins: string;
  /** Signs the tokens that the publisher requires for a store; created at each start and never written to disk */
  publisherSecret: string;
}

/** Disk space for the blobs of a local system: 10 GiB, enough for millions of memories. */
const defaultStoreBytes = 10 * 1024 ** 3;

/** Allows the origins of the dashboard, and those that the user configures. */
export function localAccess(environment: NodeJS.ProcessEnv, ports: SystemPorts): LocalAccess {
  const own = ['localhost', '127.0.0.1'].map((name) => `http://${name}:${ports.dashboard}`);
  const further = (environment.ALLOWED_ORIGINS ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
    .map((origin) => URL.parse(origin)?.origin ?? origin);
  return {
    allowedOrigins: [...own, ...further].join(','),
    publisherSecret: randomBytes(32).toString('hex'),
  };
}

/** Throws if the commands and the dashboard could not reach the relayer at 127.0.0.1. */
export function checkListenHost({ MEM_LISTEN_HOST: host }: NodeJS.ProcessEnv): void {
  if (host && !['127.0.0.1', 'localhost', '0.0.0.0', '::', '[::]'].includes(host))
    throw new Error(
      'MEM_LISTEN_HOST must be 127.0.0.1, 0.0.0.0 or :: for a local system, which calls its relayer at 127.0.0.1',
    );
}

/** A build replaces each URL with that of the bundled file (scripts/build/follow-urls.mjs). */
const entries = {
  localnet: new URL('../../../localnet/src/main.ts', import.meta.url),
  blobstore: new URL('../../../blobstore/src/main.ts', import.meta.url),
  relayer: new URL('../../../relayer/src/main.ts', import.meta.url),
  // Its other files are for browsers
  dashboard: new URL('../../../dashboard/src/main-node.ts', import.meta.url),
};

/** Path of a part's main file. */
export const entryOf = (part: PartName): string => fileURLToPath(entries[part]);

/** Only the machine's variables that every process needs, and what keeps its memory small. */
export function basics(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'NO_COLOR', 'FORCE_COLOR'];
  return {
    ...Object.fromEntries(names.map((name) => [name, environment[name]])),
    ...smallMemory(environment),
  };
}

export function localnetSettings(
  environment: NodeJS.ProcessEnv,
  ports: SystemPorts,
  paths: SystemPaths,
  access?: LocalAccess,
): PartSettings<'localnet'> {
  return {
    name: 'localnet',
    entry: entryOf('localnet'),
    environment: {
      ...basics(environment),
      LOG_LEVEL: 'warn',
      ...declared('localnet', environment),
      LOCALNET_PORT: String(ports.localnet),
      LOCALNET_DATA_DIR: paths.localnet,
      LOCALNET_SHARDS: String(localShards),
      ...(access && { LOCALNET_ALLOWED_ORIGINS: access.allowedOrigins }),
    },
  };
}

export function blobstoreSettings(
  environment: NodeJS.ProcessEnv,
  ports: SystemPorts,
  paths: SystemPaths,
  chainUrl: string,
  walletKey: string,
  access?: LocalAccess,
): PartSettings<'blobstore'> {
  return {
    name: 'blobstore',
    entry: entryOf('blobstore'),
    environment: {
      ...basics(environment),
      LOG_LEVEL: 'warn',
      BLOBSTORE_MAX_STORE_BYTES: String(defaultStoreBytes),
      ...declared('blobstore', environment),
      BLOBSTORE_PORT: String(ports.blobstore),
      BLOBSTORE_DATA_DIR: paths.blobstore,
      BLOBSTORE_SHARDS: String(localShards),
      BLOBSTORE_CHAIN_URL: chainUrl,
      BLOBSTORE_WALLET_KEY: walletKey,
      BLOBSTORE_NODE_KEY_FILE: join(paths.localnet, 'storage-node.key'),
      // The relayer is the only client: its uploads should be combined in one transaction, not refused
      BLOBSTORE_PUBLISHER_MAX_CONCURRENT_REQUESTS: '64',
      BLOBSTORE_PUBLISHER_MAX_BUFFER_SIZE: '256',
      ...(access && {
        BLOBSTORE_ALLOWED_ORIGINS: access.allowedOrigins,
        BLOBSTORE_JWT_DECODE_SECRET: access.publisherSecret,
        BLOBSTORE_JWT_VERIFY_UPLOAD: 'true',
      }),
    },
  };
}

/**
 * The credentials contain the key of this system; `token` is the secret of this start, from which pairing codes derive.
 */
export function dashboardSettings(
  environment: NodeJS.ProcessEnv,
  ports: SystemPorts,
  paths: SystemPaths,
  { packageId, delegatePublicKey }: Pick<CredentialFile, 'packageId' | 'delegatePublicKey'>,
  token: string,
): PartSettings<'dashboard'> {
  return {
    name: 'dashboard',
    entry: entryOf('dashboard'),
    environment: {
      ...basics(environment),
      LOG_LEVEL: 'warn',
      ...declared('dashboard', environment),
      DASHBOARD_PORT: String(ports.dashboard),
      DASHBOARD_RELAYER_URL: `http://127.0.0.1:${ports.relayer}`,
      DASHBOARD_PACKAGE_ID: packageId,
      DASHBOARD_WALLET_FILE: paths.wallet,
      DASHBOARD_SYSTEM_KEY: delegatePublicKey,
      DASHBOARD_TOKEN: token,
    },
  };
}

/**
 * The environment variables that a part declares to read, with their values. Empty values count as unset, so that they
 * do not replace a default.
 */
function declared(part: VariableReader, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = variablesOf(part).filter((name) => declaredVariables[name].localSystem !== 'decides');
  return Object.fromEntries(
    passed.filter((name) => environment[name]).map((name) => [name, environment[name]]),
  );
}

/** The relayer on the embedded network; `DATABASE_URL` and `REDIS_URL` of the environment replace the embedded ones. */
export async function relayerSettings(
  environment: NodeJS.ProcessEnv,
  ports: SystemPorts,
  paths: SystemPaths,
  dataDir: string,
  network: LocalnetInfo,
  urls: { chain: string; blobstore: string },
  access: LocalAccess,
): Promise<PartSettings<'relayer'>> {
  const key = (name: string) => keptKey(join(paths.keys, name));
  return {
    name: 'relayer',
    entry: entryOf('relayer'),
    // A recall allocates a megabyte; with 2 MiB, collecting that takes a seventh of its time (measured)
    nodeFlags: environment.NODE_OPTIONS?.includes('semi-space') ? [] : ['--max-semi-space-size=8'],
    environment: {
      ...basics(environment),
      RUST_LOG: 'warn',
      UPLOAD_CONCURRENCY: '24',
      // A single user needs no limits
      RATE_LIMIT_PER_MINUTE: 'off',
      RATE_LIMIT_PER_HOUR: 'off',
      RATE_LIMIT_KEY_PER_MINUTE: 'off',
      RATE_LIMIT_STORAGE_BYTES: 'off',
      SPONSOR_RATE_LIMIT_PER_MINUTE: 'off',
      SPONSOR_RATE_LIMIT_PER_HOUR: 'off',
      DATABASE_URL: `pglite:${paths.database}`,
      // Users with a tunnel set its URL
      PUBLIC_RELAYER_URL: `http://127.0.0.1:${ports.relayer}`,
      ...declared('relayer', environment),
      PORT: String(ports.relayer),
      MEM_DATA_DIR: dataDir,
      MEM_SERVER_SECRET: await key('server-secret'),
      MEM_INDEX_KEY: await key('index-key'),
      MEM_WRITER_KEYS: await key('writer-key'),
      SIDECAR_AUTH_TOKEN: randomBytes(32).toString('hex'),
      SIDECAR_URL: `http://127.0.0.1:${ports.sidecar}`,
      MEM_PACKAGE_ID: network.packageId,
      MEM_REGISTRY_ID: network.registryId,
      CHAIN_NETWORK: 'localnet',
      CHAIN_RPC_URL: urls.chain,
      PUBLIC_CHAIN_RPC_URL: urls.chain,
      STORE_PUBLISHER_URL: urls.blobstore,
      STORE_PUBLISHER_JWT_SECRET: access.publisherSecret,
      STORE_AGGREGATOR_URL: urls.blobstore,
      SPONSOR_API_URL: `${urls.chain}/sponsor`,
      SPONSOR_API_KEY: (await readFile(join(paths.localnet, 'sponsor.key'), 'utf8')).trim(),
      SPONSOR_NETWORK: 'localnet',
      PUBLIC_DASHBOARD_URL: `http://127.0.0.1:${ports.dashboard}`,
      ALLOWED_ORIGINS: access.allowedOrigins,
    },
  };
}
