import type { Network } from '@memrelay/protocol/networks';
import type {
  AccountInfo,
  HealthInfo,
  LiveInfo,
  PublicConfig,
  VersionInfo,
} from '@memrelay/protocol/service-info';
import {
  apiVersion,
  deprecations,
  featureFlags,
  minSupportedSdk,
  relayerVersion,
} from '@memrelay/protocol/versions';
import type { FastifyInstance } from 'fastify';
import { permissionBits } from '../../accounts/require-permission.ts';
import { askPrompt } from '../../language/prompts/ask.ts';
import { extractPrompt } from '../../language/prompts/extract.ts';
import { rerankPrompt } from '../../language/prompts/rerank.ts';
import { route } from '../http/route.ts';
import { createReadiness, type ReadinessParts } from '../readiness.ts';

/** Set when an image is built; absent in a checkout. */
function buildInfo(environment: NodeJS.ProcessEnv): VersionInfo['build'] {
  const commit = environment.GIT_SHA ?? environment.GITHUB_SHA;
  const buildTimestamp = environment.BUILD_TIMESTAMP;
  return { ...(commit ? { commit } : {}), ...(buildTimestamp ? { buildTimestamp } : {}) };
}

function versionInfo(): VersionInfo {
  return {
    relayerVersion,
    apiVersion,
    minSupportedSdk,
    featureFlags,
    deprecations,
    build: buildInfo(process.env),
  };
}

export interface InfoRouteParts extends ReadinessParts {
  network: Network;
  /** The response of `GET /config` */
  publicConfig(): Promise<PublicConfig>;
}

/** The unsigned routes about this server. */
export function infoRoutes(app: FastifyInstance, parts: InfoRouteParts): void {
  const open = route({ auth: 'none' });
  app.get('/health', open, async (): Promise<HealthInfo> => {
    return {
      status: 'ok',
      version: relayerVersion,
      mode: parts.network === 'localnet' ? 'local' : 'production',
      prompt_versions: {
        extract: extractPrompt.version,
        ask: askPrompt.version,
        rerank: rerankPrompt.version,
      },
      ...versionInfo(),
    };
  });
  app.get('/version', open, async () => versionInfo());
  app.get('/config', open, async (): Promise<PublicConfig> => parts.publicConfig());
  app.get('/live', open, async (): Promise<LiveInfo> => ({ status: 'ok' }));
  const readiness = createReadiness(parts);
  app.get('/ready', open, async (_request, reply) => {
    const state = await readiness();
    return reply.code(state.ready ? 200 : 503).send(state);
  });
}

/** The last millisecond that RFC 3339 can express; an expiry on chain is a u64 and may be later. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** `GET /api/account`: who the caller is, and the key epoch for clients that encrypt. */
export function accountRoute(app: FastifyInstance): void {
  app.get(
    '/api/account',
    route({ auth: 'signature', scope: [], cost: 1 }),
    async (request): Promise<AccountInfo> => {
      const { account, delegate } = request.caller;
      const { scope } = delegate;
      return {
        owner: account.owner,
        account_id: account.accountId,
        origin: account.origin,
        key_epoch: account.keyEpoch,
        active: account.active,
        delegate: {
          label: delegate.label,
          scope: {
            perms: Object.entries(permissionBits)
              .filter(([, bit]) => ((scope?.perms ?? 0) & bit) !== 0)
              .map(([name]) => name),
            all_namespaces: scope?.allNamespaces ?? false,
            tags: [...(scope?.tags ?? [])],
            min_epoch: scope?.minEpoch ?? 0,
          },
          ...(scope && scope.expiresAtMs > 0
            ? { expires_at: new Date(Math.min(scope.expiresAtMs, lastMs)).toISOString() }
            : {}),
        },
      };
    },
  );
}
