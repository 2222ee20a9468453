import { addressPattern } from '@memrelay/protocol/address';
import { type LocalnetInfo, localnetInfoSchema } from '@memrelay/protocol/localnet-info';
import { defaultLogFilter, logFilterProblem } from '@memrelay/protocol/log-filter';
import { defaultSponsorApiUrl, type Network, networkDefaults } from '@memrelay/protocol/networks';
import { defaultPorts } from '@memrelay/protocol/ports';
import { z } from 'zod';
import { SidecarConfigError } from '../base/config-error.ts';
import type { ServerSets } from '../seal/server-sets.ts';
import type { UploadSettings } from '../store/uploads.ts';
import type { WalrusObjects } from '../store/walrus-package.ts';
import type { ToolConfig } from '../tools/tool-service.ts';
import { configuredServerSets } from './key-server-config.ts';

/** The sidecar's settings from its environment; the relayer checks the other variables. */
export interface Config {
  /** Host name in SIDECAR_URL; the sidecar always listens on 127.0.0.1 */
  host: string;
  port: number;
  token: string;
  network: Network;
  chainRpcUrl: string;
  packageId: string;
  serverSets: ServerSets;
  uploads: UploadSettings;
  walrus: WalrusObjects;
  /** Number of shards of the network; blob ids depend on it */
  nShards: number;
  /** `suiprivkey1…` or 64 hex digits */
  serverKey: string | undefined;
  sponsor: {
    apiUrl: string;
    apiKey: string | undefined;
    network: string;
    /** Whether the server key pays when the sponsor does not */
    fallback: boolean;
  };
  tools: ToolConfig;
  /** The relayer serves our metrics with its own */
  recordsMetrics: boolean;
  /** A collector of traces; undefined: none */
  tracesUrl: string | undefined;
  log: { filter: string; format: 'json' | 'pretty' | 'text' };
}

const idForm = 'must be 0x and 64 hex digits';
const objectId = z.string().regex(addressPattern, idForm).toLowerCase();
/** `true` or `1` turns it on; any other value leaves it off. */
const flag = z
  .string()
  .default('false')
  .transform((value) => ['true', '1'].includes(value.toLowerCase()));
const sessionCap = z.coerce.number().int().min(1).max(1_000_000);

const environmentSchema = z.object({
  SIDECAR_AUTH_TOKEN: z
    .string({ error: 'is required: the sidecar does not start without it' })
    .regex(/^[!-~]{16,}$/, 'must be at least 16 visible ASCII characters'),
  SIDECAR_URL: z.url().default(`http://localhost:${defaultPorts.sidecar}`),
  MEM_PACKAGE_ID: z.string({ error: 'is required' }).regex(addressPattern, idForm).toLowerCase(),
  CHAIN_NETWORK: z.enum(['mainnet', 'testnet', 'localnet']).default('mainnet'),
  CHAIN_RPC_URL: z.url().optional(),
  STORE_PUBLISHER_URL: z.url().optional(),
  STORE_UPLOAD_RELAY_URL: z.url().optional(),
  STORE_PUBLISHER_JWT_SECRET: z.string().optional(),
  STORE_SHARDS: z.coerce.number().int().min(4).max(32_768).optional(),
  ENC_SERVER_CONFIGS: z.string().optional(),
  ENC_KEY_SERVERS: z.string().optional(),
  ENC_HISTORICAL_SETS: z.string().optional(),
  ENC_THRESHOLD: z.coerce.number().int().min(1).optional(),
  SERVER_CHAIN_PRIVATE_KEY: z.string().optional(),
  SERVER_CHAIN_PRIVATE_KEYS: z.string().optional(),
  STORE_PACKAGE_ID: objectId.optional(),
  STORE_SYSTEM_OBJECT_ID: objectId.optional(),
  STORE_STAKING_OBJECT_ID: objectId.optional(),
  SPONSOR_API_KEY: z.string().optional(),
  SPONSOR_API_URL: z.url().default(defaultSponsorApiUrl),
  SPONSOR_NETWORK: z.enum(['mainnet', 'testnet', 'localnet']).default('mainnet'),
  SPONSOR_FALLBACK_TO_DIRECT_SIGN: flag,
  PORT: z.coerce.number().int().min(0).max(65_535).default(defaultPorts.relayer),
  MEM_RELAYER_URL: z.url().optional(),
  MCP_MAX_TOTAL_SESSIONS: sessionCap.default(1000),
  MCP_MAX_SESSIONS_PER_IP: sessionCap.default(16),
  MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN: sessionCap.default(30),
  RUST_LOG: z
    .string()
    .superRefine((value, context) => {
      const message = logFilterProblem(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .default(defaultLogFilter),
  LOG_FORMAT: z.enum(['json', 'pretty', 'text']).default('pretty'),
  MCP_EXTRA_TOOLS: flag,
  METRICS_PORT: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
});
type Variables = z.infer<typeof environmentSchema>;

/** Reads the environment and, on the localnet, its `/info`. Throws `SidecarConfigError`. */
export async function loadConfig(environment: NodeJS.ProcessEnv): Promise<Config> {
  const present = Object.fromEntries(
    Object.entries(environment)
      .map(([name, value]) => [name, value?.trim() ?? ''] as const)
      .filter(([, value]) => value !== ''),
  );
  const parsed = environmentSchema.safeParse(present);
  if (!parsed.success)
    throw new SidecarConfigError(
      parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`).join('\n'),
    );
  const values = parsed.data;
  const defaults = networkDefaults[values.CHAIN_NETWORK];
  const chainRpcUrl = values.CHAIN_RPC_URL ?? defaults.chainRpcUrl;
  const localnet = values.CHAIN_NETWORK === 'localnet' ? await readLocalnet(chainRpcUrl) : undefined;
  return {
    host: new URL(values.SIDECAR_URL).hostname,
    port: Number(new URL(values.SIDECAR_URL).port || defaultPorts.sidecar),
    token: values.SIDECAR_AUTH_TOKEN,
    network: values.CHAIN_NETWORK,
    chainRpcUrl,
    packageId: values.MEM_PACKAGE_ID,
    serverSets: configuredServerSets(values, localnet),
    uploads: uploadSettings(values),
    walrus: {
      systemObjectId:
        values.STORE_SYSTEM_OBJECT_ID ?? localnet?.walrus.systemObjectId ?? defaults.walrusSystemObjectId!,
      stakingPoolId:
        values.STORE_STAKING_OBJECT_ID ?? localnet?.walrus.stakingObjectId ?? defaults.walrusStakingObjectId!,
      packageId: values.STORE_PACKAGE_ID,
    },
    nShards: values.STORE_SHARDS ?? localnet?.walrus.nShards ?? defaults.nShards!,
    serverKey: values.SERVER_CHAIN_PRIVATE_KEY,
    sponsor: {
      apiUrl: values.SPONSOR_API_URL,
      apiKey: values.SPONSOR_API_KEY,
      network: values.SPONSOR_NETWORK,
      fallback: values.SPONSOR_FALLBACK_TO_DIRECT_SIGN,
    },
    tools: {
      relayerUrl: values.MEM_RELAYER_URL ?? `http://127.0.0.1:${values.PORT}`,
      limits: {
        total: values.MCP_MAX_TOTAL_SESSIONS,
        perAddress: values.MCP_MAX_SESSIONS_PER_IP,
        newPerMinute: values.MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN,
      },
      extraTools: values.MCP_EXTRA_TOOLS,
    },
    recordsMetrics: values.METRICS_PORT !== undefined,
    tracesUrl: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    log: { filter: values.RUST_LOG, format: values.LOG_FORMAT },
  };
}

/**
 * Uses the configured publisher, else the upload relay if there is a wallet, else the network's publisher. The single key
 * is used only when the pool is empty (decisions.md, "Configuration beyond the spec").
 */
function uploadSettings(values: Variables): UploadSettings {
  const defaults = networkDefaults[values.CHAIN_NETWORK];
  const pool = (values.SERVER_CHAIN_PRIVATE_KEYS ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter(Boolean);
  const single = values.SERVER_CHAIN_PRIVATE_KEY;
  const walletKeys = pool.length > 0 || !single ? pool : [single];
  return {
    mode: values.STORE_PUBLISHER_URL || walletKeys.length === 0 ? 'publisher' : 'relay',
    publisherUrl: values.STORE_PUBLISHER_URL ?? defaults.publisherUrl,
    publisherSecret: values.STORE_PUBLISHER_JWT_SECRET,
    relayUrl: values.STORE_UPLOAD_RELAY_URL ?? defaults.uploadRelayUrl,
    walletKeys,
  };
}

/** The localnet reports its own key servers and packages. */
async function readLocalnet(chainRpcUrl: string): Promise<LocalnetInfo> {
  try {
    const response = await fetch(new URL('/info', chainRpcUrl), { signal: AbortSignal.timeout(5_000) });
    return localnetInfoSchema.parse(await response.json());
  } catch {
    throw new SidecarConfigError('CHAIN_RPC_URL: CHAIN_NETWORK is localnet, but no localnet responds there');
  }
}
