import { availableParallelism } from 'node:os';
import { createBlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import { createChainClient } from '@memrelay/chain/chain-client';
import { addressOfPrivateKey } from '@memrelay/chain/key-file';
import { readWalrusTariff } from '@memrelay/chain/walrus-prices';
import { callNames } from '@memrelay/process/call-names';
import { startTracing } from '@memrelay/process/tracing';
import { ApiError } from '@memrelay/protocol/errors';
import { secretHeaders } from '@memrelay/protocol/headers';
import { createHostRules } from '@memrelay/protocol/host-rules';
import { relayerVersion } from '@memrelay/protocol/versions';
import Fastify from 'fastify';
import type { Logger } from 'pino';
import { createPruner } from './accounts/prune-expired.ts';
import { requireSecret } from './base/require-secret.ts';
import type { Config } from './config/config.ts';
import { checkServerTypes } from './config/key-server-config.ts';
import { OpenPool } from './open/open-pool.ts';
import { recordCalls, recordRequests, servicesOf } from './record-metrics.ts';
import { registerScopes } from './request-scopes.ts';
import type { SidecarContext } from './routes/context.ts';
import {
  accountRoutes,
  envelopeRoutes,
  healthRoute,
  keyRoutes,
  sponsorRoutes,
  storeRoutes,
} from './routes/routes.ts';
import { KeyServerDirectory } from './seal/key-server-directory.ts';
import { SealPool } from './seal/seal-pool.ts';
import { wrapExpectation } from './seal/server-sets.ts';
import { createSessionReader } from './seal/session.ts';
import { createSessionMaker } from './seal/session-maker.ts';
import { KeyUnwrapper } from './seal/unwrap-keys.ts';
import { createGasWallet } from './sponsor/gas-wallet.ts';
import { createSponsorApi } from './sponsor/sponsor-api.ts';
import { createSponsoring } from './sponsor/sponsoring.ts';
import { describeObjects, ownedPage } from './store/blob-objects.ts';
import { readStoreTariff } from './store/store-tariff.ts';
import { createUploads } from './store/uploads.ts';
import { readWalletFunds } from './store/wallet-funds.ts';
import { checkWalrus } from './store/walrus-package.ts';
import { createAccountStates } from './tools/account-states.ts';
import { createToolService } from './tools/tool-service.ts';

/** Fits a batch of envelopes (the relayer splits larger ones) or one blob. */
const bodyLimit = 32 * 1024 * 1024;
const keyServerTimeoutMs = 10_000;
/** How long running requests may take when the sidecar stops. The whole stop has 20 s (serve-part.ts). */
const requestsEndMs = 15_000;

export interface Sidecar {
  url: string;
  close(): Promise<void>;
}

/** Builds the sidecar and listens on loopback. Throws if the port is taken, and `SidecarConfigError`. */
export async function startSidecar(config: Config, log: Logger): Promise<Sidecar> {
  const prometheus = config.recordsMetrics
    ? (await import('./base/prometheus.ts')).createPrometheus()
    : undefined;
  const stopRecording = prometheus && recordCalls(prometheus, config);
  const chain = createChainClient({ network: config.network, baseUrl: config.chainRpcUrl });
  const sets = config.serverSets;
  const directory = new KeyServerDirectory({ client: chain.sui, packageId: config.packageId, logger: log });
  const [walrusPackageId] = await Promise.all([
    checkWalrus(chain, config),
    checkServerTypes(directory, sets),
  ]);
  const tracing = await startTracing({
    service: 'memrelay-sidecar',
    version: relayerVersion,
    endpoint: config.tracesUrl,
    nameOf: callNames(servicesOf(config)),
  });
  const pool = new SealPool({ logger: log, tracing });
  const openPool = new OpenPool(log);
  const blobIds = createBlobIdPool({ nShards: config.nShards, threads: availableParallelism() });
  const uploads = createUploads({
    settings: config.uploads,
    walrus: config.walrus,
    nShards: config.nShards,
    chain,
    blobIds,
    log,
  });
  const { sponsor, serverKey } = config;
  const sponsorApi =
    sponsor.apiKey === undefined
      ? undefined
      : createSponsorApi({ baseUrl: sponsor.apiUrl, apiKey: sponsor.apiKey, network: sponsor.network });
  const sponsoring = createSponsoring({
    policy: { packageId: config.packageId, walrusPackageId },
    api: sponsorApi,
    wallet: sponsor.fallback && serverKey ? createGasWallet(chain, serverKey) : undefined,
    log,
  });
  const tools = createToolService({
    config: config.tools,
    token: config.token,
    packageId: config.packageId,
    accounts: createAccountStates({ chain, packageId: config.packageId }),
    log,
  });
  const context: SidecarContext = {
    config,
    pool,
    openPool,
    sets,
    expectedWraps: wrapExpectation(config.packageId, sets),
    directory,
    sessions: createSessionReader({ packageId: config.packageId, client: chain.sui }),
    sessionMaker: createSessionMaker({ packageId: config.packageId }),
    unwrapper: new KeyUnwrapper({
      directory,
      pool,
      sets,
      network: { timeoutMs: keyServerTimeoutMs, allowPrivateAddresses: config.network === 'localnet' },
      logger: log,
    }),
    uploads,
    storeEpoch: async () => (await readWalrusTariff(chain, config.walrus.systemObjectId)).epoch,
    storeTariff: () => readStoreTariff(chain, config.walrus),
    storeObjects: (request) => describeObjects(chain, config.walrus.systemObjectId, request),
    ownedBlobs: (request) => ownedPage(chain, config.walrus.systemObjectId, request),
    sponsoring,
    walletFunds: (epochs) =>
      readWalletFunds(
        {
          chain,
          systemObjectId: config.walrus.systemObjectId,
          uploadWallets: uploads.info.wallets,
          sponsorWallet: sponsor.fallback && serverKey ? addressOfPrivateKey(serverKey) : undefined,
          tipMist: uploads.tipMist,
        },
        epochs,
      ),
    pruner: createPruner({
      chain,
      packageId: config.packageId,
      wallets: uploads.wallets,
      sponsoring,
      serverKey,
      log,
    }),
    tools,
    log,
  };

  const app = Fastify({ logger: false, bodyLimit, requestTimeout: 180_000 });
  registerScopes(app, tracing);
  // SIDECAR_URL may name this machine differently: allow that host as well
  const hosts = createHostRules({ isLoopback: true, allowedHosts: [config.host] });
  app.addHook('onRequest', async ({ raw }) => {
    const verdict = hosts.check(raw);
    if (verdict === 'refused') throw new ApiError('host_not_allowed');
    if (verdict === 'malformed') throw new ApiError('invalid_request');
  });
  app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.setErrorHandler((error, request, reply) => {
    const known = error instanceof ApiError ? error : new ApiError('internal_error', { cause: error });
    if (known.code === 'internal_error') {
      const fields = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => !secretHeaders.includes(name)),
      );
      log.error({ err: error, route: request.routeOptions.url, headers: fields }, 'request failed');
    }
    return reply.code(known.status).send({ error: known.code, message: known.message });
  });
  if (prometheus) recordRequests(app, prometheus, { seal: pool, open: openPool });
  healthRoute(app, config.token);
  await app.register(async (guarded) => {
    guarded.addHook('onRequest', requireSecret('authorization', `Bearer ${config.token}`));
    guarded.get('/metrics', async () => prometheus?.text() ?? '');
    accountRoutes(guarded, context);
    keyRoutes(guarded, context);
    envelopeRoutes(guarded, context);
    storeRoutes(guarded, context);
    sponsorRoutes(guarded, context);
  });
  await app.register(tools.routes);
  const url = await app.listen({ port: config.port, host: '127.0.0.1' });
  return {
    url,
    async close() {
      // Open tool streams would keep the server running
      await tools.close();
      const forced = setTimeout(() => app.server.closeAllConnections(), requestsEndMs);
      await app.close();
      clearTimeout(forced);
      stopRecording?.();
      await tracing.close();
      await Promise.all([
        pool.close(),
        openPool.close(),
        uploads.close(),
        blobIds.close(),
        sponsorApi?.close(),
      ]);
    },
  };
}
