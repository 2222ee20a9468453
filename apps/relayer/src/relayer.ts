import { indexKey, secretRing } from '@memrelay/envelope/at-rest';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { callNames } from '@memrelay/process/call-names';
import { startTracing } from '@memrelay/process/tracing';
import { relayerVersion } from '@memrelay/protocol/versions';
import type { FastifyInstance } from 'fastify';
import { createAccountWriters } from './accounts/account-writers.ts';
import { createKeyUses } from './accounts/key-uses.ts';
import { warnOfForwarded } from './api/auth/forwarded-warning.ts';
import { createApp } from './api/http/app.ts';
import { prepareListener } from './api/http/listener.ts';
import { registerTraces } from './api/http/request-traces.ts';
import { createRequestBounds } from './api/limits/request-bounds.ts';
import { createNonceStore } from './api/nonces/create-nonce-store.ts';
import { createAuditLog } from './audit/audit-log.ts';
import type { Db } from './base/db/db.ts';
import { hexToBytes } from './base/db/hex.ts';
import { openDatabase } from './base/db/open-database.ts';
import type { Loggers } from './base/logging/loggers.ts';
import { lookupsOf, noMetrics, tokensOf } from './base/metrics/metrics.ts';
import type { Config } from './config/config.ts';
import { publicConfig } from './config/public-config.ts';
import { createBacklog } from './jobs/queue/backlog.ts';
import { createIdempotency } from './jobs/queue/idempotency.ts';
import { createOutbox } from './jobs/queue/outbox.ts';
import { createSingleWrites } from './jobs/queue/single-writes.ts';
import { createStorageBudget } from './jobs/queue/storage-budget.ts';
import { createWithWallet } from './jobs/upload/with-wallet.ts';
import { createKeyRewraps } from './keys/key-rewraps.ts';
import { createNamespaceKeys } from './keys/namespace-keys.ts';
import { createVerifiedKeys } from './keys/verified-keys.ts';
import { createChatClient } from './language/llm/chat-client.ts';
import { createStorageTime } from './memories/lists/expiring-soon.ts';
import { createNamespaceSearches } from './memories/recall/namespace-search.ts';
import { createNamespaceSizes } from './memories/recall/namespace-sizes.ts';
import { startReindexing } from './memories/reindex/background-reindex.ts';
import { createResidentIndexes } from './memories/resident/resident-indexes.ts';
import { createAccountParts } from './start/account-parts.ts';
import { createBlobParts } from './start/blob-parts.ts';
import { checkSurroundings } from './start/check-surroundings.ts';
import { createCloseStack } from './start/close-stack.ts';
import type { RelayerContext } from './start/context.ts';
import { createIndexParts } from './start/index-parts.ts';
import { createLimitParts } from './start/limit-parts.ts';
import { recordCalls, servicesOf } from './start/observe-calls.ts';
import { prepareDatabase } from './start/prepare-database.ts';
import { serve } from './start/serve.ts';
import { startAlerts } from './start/start-alerts.ts';
import { startJobs } from './start/start-jobs.ts';
import { startMaintenance } from './start/start-maintenance.ts';
import { startSidecar } from './start/start-sidecar.ts';
import { startUpkeep } from './start/start-upkeep.ts';
import { startWebhooks } from './start/start-webhooks.ts';
import { startExpiry } from './upkeep/expiry/start-expiry.ts';

export interface Relayer {
  /** The URL at which processes on this machine reach the relayer */
  url: string;
  context: RelayerContext;
  app: FastifyInstance;
  /** Stops accepting requests, releases unfinished jobs, closes everything */
  close(): Promise<void>;
}

export interface StartOptions {
  config: Config;
  loggers: Loggers;
  /** The environment for the sidecar; the chain keys are deleted from this object */
  environment: NodeJS.ProcessEnv;
  /** The process can no longer do its work and must exit */
  onFatal: (reason: string) => void;
}

/** Builds all parts from the configuration and listens. If one cannot be built, closes the others and throws. */
export async function startRelayer(options: StartOptions): Promise<Relayer> {
  const { config, loggers, environment, onFatal } = options;
  const { secrets, packageId } = config;
  const opened = createCloseStack();
  try {
    const prometheus =
      config.metricsPort === undefined
        ? undefined
        : (await import('./api/metrics/prometheus.ts')).createPrometheusMetrics();
    const metrics = prometheus ?? noMetrics;
    const stopRecording = prometheus && recordCalls(config, prometheus);
    opened.push(async () => stopRecording?.());
    const tracing = opened.add(
      await startTracing({
        service: 'memrelay-relayer',
        version: relayerVersion,
        endpoint: config.tracesUrl,
        nameOf: callNames(servicesOf(config)),
      }),
    );
    const listener = await prepareListener(config, loggers.http);
    const { allowedOrigins } = config;
    const app = createApp({
      log: loggers.http,
      allowedOrigins,
      hosts: listener.hosts,
      dashboardUrl: config.oauth?.dashboardUrl,
    });
    registerTraces(app, tracing);
    warnOfForwarded(app, config.trustedProxyHops, loggers.http);
    let database: Db | undefined;
    opened.push(async () => database?.close());
    // Jobs are released only after the sidecar has stopped, so that no other relayer repeats an upload in progress
    let releaseJobs: () => Promise<void> = async () => undefined;
    opened.push(() => releaseJobs());
    const relayerUrl = listener.urlAt(config.port);
    let starting: ReturnType<typeof startSidecar> | undefined;
    // All dependencies are checked before anything is changed, even the tables
    const checking = checkSurroundings({
      config,
      openDatabase: () => openDatabase(config.databaseUrl, loggers.database, onFatal),
      onOthersChecked() {
        starting = startSidecar(opened, { config, environment, relayerUrl, loggers, onLost: onFatal });
        // Its failure is reported after one of the database
        starting.catch(() => undefined);
      },
    }).then((found) => {
      database = found;
      return found;
    });
    // If one of them fails, the other can be closed once it has started
    await checking.catch(() => undefined);
    await starting?.catch(() => undefined);
    const db = await checking;
    const { sidecar, keyServers, store } = await starting!;
    const ring = secretRing(secrets.serverSecrets);
    await prepareDatabase({ db, config, ring, keyServers, loggers });

    const audit = createAuditLog(secrets.writerKeys, loggers.database);
    const { accounts, expiredDelegates } = await createAccountParts(opened, {
      config,
      db,
      audit,
      sidecar,
      loggers,
      metrics,
    });
    const nonces = opened.add(await createNonceStore({ redisUrl: config.redisUrl, db, log: loggers.auth }));
    const { blobCache, aggregators } = await createBlobParts(opened, config, loggers, metrics);
    const index = createIndexParts(config, metrics);
    opened.push(async () => index.embedder.close?.());
    const chat =
      config.chat && opened.add(createChatClient({ ...config.chat, onTokens: tokensOf(metrics, 'chat') }));
    const outbox = createOutbox(ring);
    const idempotency = createIdempotency(db, ring, secrets.indexKey);
    const alerts = opened.add(await startAlerts({ config, db, sidecar, log: loggers.alerts }));
    const { pipeline, wallets, maxQuiltItems } = await startJobs({
      config,
      store,
      db,
      accounts,
      sidecar,
      blobCache,
      aggregators,
      indexer: index.indexer,
      outbox,
      alerts: alerts.sender,
      metrics,
      tracing,
      log: loggers.jobs,
    });
    releaseJobs = pipeline.close;
    opened.add(
      await startUpkeep({
        db,
        sidecar,
        accounts,
        aggregators,
        blobCache,
        wakeUpload: () => pipeline.wakeUpload(),
        maxItems: maxQuiltItems,
        config,
        loggers,
      }),
    );
    startMaintenance(opened, { db, config, idempotency, loggers });
    const storageTime = createStorageTime(sidecar, config);
    const tagOf = (origin: string, namespace: string) =>
      namespaceTag(nodePrimitives, hexToBytes(origin), namespace);
    const webhooks = opened.add(
      await startWebhooks({ config, db, audit, accounts, tagOf, storageTime, metrics, log: loggers.alerts }),
    );

    const context: RelayerContext = {
      ...index,
      network: config.network,
      db,
      audit,
      tracing,
      accounts,
      expiredDelegates: expiredDelegates(wallets && createWithWallet(db, wallets)),
      nonces,
      sidecar,
      namespaceKeys: createNamespaceKeys({
        db,
        sidecar,
        macKey: Buffer.from(indexKey(secrets.indexKey, 'namespace-key', '')),
        serverSet: async () => keyServers.current,
        log: loggers.memories,
      }),
      verifiedKeys: createVerifiedKeys(db, loggers.memories),
      keyRewraps: createKeyRewraps(db, keyServers.current),
      chat,
      accountWriters: createAccountWriters(db),
      namespaceSizes: createNamespaceSizes(db),
      namespaceSearches: createNamespaceSearches(
        db,
        opened.add(
          createResidentIndexes(db, {
            maxBytes: config.searchCacheBytes,
            logger: loggers.memories,
            countLookup: lookupsOf(metrics, 'search'),
          }),
        ),
      ),
      reindexing: opened.add(await startReindexing(db)),
      requestBounds: createRequestBounds(),
      requestLimits: await createLimitParts(opened, config, loggers.auth),
      blobCache,
      aggregators,
      outbox,
      idempotency,
      singleWrites: createSingleWrites(db),
      backlog: createBacklog(db, config.jobs.backlog),
      storageBudget: createStorageBudget(db, config.maxStoredBytes),
      pipeline,
      keyUses: createKeyUses(),
      storageTime,
      webhooks: webhooks.parts,
      uploadWallets: store.wallets,
      secrets,
      repackAfterMs: config.quilts.repackAfterMs,
      writerPublicKeys: secrets.writerKeys.map((seed) =>
        Buffer.from(nodePrimitives.ed25519PublicKey(seed)).toString('hex'),
      ),
      sealing: {
        packageId,
        serverSets: [keyServers.current, ...keyServers.historical.map(({ id }) => id)],
      },
      serverAddress: config.serverAddress,
      tagOf,
      publicConfig: async () => publicConfig(config, keyServers, index.embedder),
      loggers,
    };
    opened.add(await startExpiry(context));
    const url = await serve(opened, { app, context, config, listener, prometheus });
    return { url, context, app, close: opened.close };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
