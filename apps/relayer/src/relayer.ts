import type { AddressInfo } from 'node:net';
import { indexKey, secretRing } from '@memrelay/envelope/at-rest';
import { maxEnvelopeLength } from '@memrelay/envelope/header';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { ApiError } from '@memrelay/protocol/errors';
import type { FastifyInstance } from 'fastify';
import { createAccountWriters } from './accounts/account-writers.ts';
import { createAccounts } from './accounts/create-accounts.ts';
import { createExpiredDelegates } from './accounts/expired-delegates.ts';
import { warnOfForwarded } from './api/auth/forwarded-warning.ts';
import { registerAuth } from './api/auth/register-auth.ts';
import { createApp } from './api/http/app.ts';
import { prepareListener } from './api/http/listener.ts';
import { createRequestBounds, registerRequestBounds } from './api/limits/request-bounds.ts';
import { createNonceStore } from './api/nonces/create-nonce-store.ts';
import { pruneGrants } from './api/oauth/grant-rows.ts';
import { signedRoutes } from './api/routes/signed-routes.ts';
import { hexToBytes } from './base/db/hex.ts';
import { migrate } from './base/db/migrate.ts';
import { openDatabase } from './base/db/open-database.ts';
import { startVacuum } from './base/db/vacuum.ts';
import type { Loggers } from './base/logging/loggers.ts';
import { registerStageTimes } from './base/logging/stage-times.ts';
import { startMaintenance } from './base/maintenance.ts';
import { createAggregatorReader } from './blobs/aggregator-reads.ts';
import { createMemoryBlobCache, createRedisBlobCache } from './blobs/blob-cache.ts';
import { checkSurroundings } from './check-surroundings.ts';
import { closeAll } from './close-all.ts';
import type { Config } from './config.ts';
import type { RelayerContext } from './context.ts';
import { createAccountVectors } from './index/embedding/account-vectors.ts';
import { checkVector } from './index/embedding/check-vector.ts';
import { createEmbedder } from './index/embedding/create-embedder.ts';
import { createTextIndexer } from './index/index-data.ts';
import { createBlindIndex } from './index/keywords/blind-index.ts';
import { dropKeywords } from './index/keywords/drop-keywords.ts';
import { createEmbedStage } from './jobs/embed/embed-stage.ts';
import { startPipeline } from './jobs/pipeline.ts';
import { createBacklog } from './jobs/queue/backlog.ts';
import { pruneFormerBlobs } from './jobs/queue/forgotten-objects.ts';
import { createIdempotency } from './jobs/queue/idempotency.ts';
import { createOutbox } from './jobs/queue/outbox.ts';
import { pruneJobs } from './jobs/queue/prune-jobs.ts';
import { checkSecrets } from './jobs/queue/secret-checks.ts';
import { quiltBounds } from './jobs/upload/quilt-bounds.ts';
import { createWalletPool } from './jobs/upload/upload-wallets.ts';
import { createWithWallet } from './jobs/upload/with-wallet.ts';
import { createKeyRewraps } from './keys/key-rewraps.ts';
import { checkKeyServers, readKeyServers } from './keys/key-servers.ts';
import { createNamespaceKeys } from './keys/namespace-keys.ts';
import { createVerifiedKeys } from './keys/verified-keys.ts';
import { createChatClient } from './language/llm/chat-client.ts';
import { createStorageTime } from './memories/lists/expiring-soon.ts';
import { createNamespaceSizes } from './memories/recall/namespace-sizes.ts';
import { createQueryVectors } from './memories/recall/query-vectors.ts';
import { startReindexing } from './memories/reindex/background-reindex.ts';
import { openRoutes } from './open-routes.ts';
import { publicConfig } from './public-config.ts';
import { runSidecar } from './sidecar/run-sidecar.ts';
import { createSidecarClient } from './sidecar/sidecar-client.ts';
import { startAlerts } from './start-alerts.ts';
import { startUpkeep } from './start-upkeep.ts';

export interface Relayer {
  /** Where a process of this machine reaches it */
  url: string;
  context: RelayerContext;
  app: FastifyInstance;
  /** Stops taking requests, hands work back, closes everything */
  close(): Promise<void>;
}

export interface StartOptions {
  config: Config;
  loggers: Loggers;
  /** The environment the sidecar is started from; its keys are deleted from it */
  environment: NodeJS.ProcessEnv;
  /** The process cannot do its work any more and must end */
  onFatal: (reason: string) => void;
}

/** How long requests under way may take when the relayer stops; all of it has 20 s (serve-part.ts). */
const requestsEndMs = 8_000;

/** Builds everything from the configuration and listens. Throws when any part cannot be had. */
export async function startRelayer({
  config,
  loggers,
  environment,
  onFatal,
}: StartOptions): Promise<Relayer> {
  const closers: (() => Promise<unknown>)[] = [];
  const onClose = <T extends { close(): Promise<unknown> }>(part: T): T => {
    closers.push(() => part.close());
    return part;
  };
  try {
    const listener = await prepareListener(config, loggers.http);
    const { hosts } = listener;
    const app = createApp({ log: loggers.http, allowedOrigins: config.allowedOrigins, hosts });
    warnOfForwarded(app, config.trustedProxyHops, loggers.http);
    // Nothing is changed until all of this is found to be right, not even the tables
    const db = onClose(
      await checkSurroundings({
        config,
        openDatabase: () => openDatabase(config.databaseUrl, loggers.database, onFatal),
      }),
    );
    let handBack: () => Promise<void> = async () => undefined;
    closers.push(() => handBack());
    const sidecar = onClose(createSidecarClient(config.sidecar.url, config.sidecar.token));
    const process = await runSidecar({
      ...config.sidecar,
      client: sidecar,
      environment,
      relayerUrl: listener.urlAt(config.port),
      log: loggers.sidecar,
      onLost: onFatal,
    });
    closers.push(() => process.stop());
    const { packageId } = config;
    const [keyServers, store] = await Promise.all([readKeyServers(sidecar), sidecar.storeInfo()]);

    const applied = await migrate(db);
    if (applied.length > 0) loggers.database.info({ applied }, 'database schema is up to date');
    const ring = secretRing(config.secrets.serverSecrets);
    await checkSecrets(db, config.secrets, ring, config.droppedSecrets);
    await checkKeyServers({ keyServers, db, packageId, log: loggers.main });

    const accounts = onClose(await createAccounts({ config, db, log: loggers.accounts }));
    accounts.onChange((accountId) => {
      sidecar
        .dropSessions(accountId)
        .catch((error: Error) => loggers.sidecar.warn({ err: error }, 'sessions not dropped'));
    });
    const nonces = onClose(await createNonceStore({ redisUrl: config.redisUrl, db, log: loggers.auth }));
    const blobCache = onClose(
      config.redisUrl
        ? createRedisBlobCache(config.redisUrl, config.blobCache, loggers.blobs)
        : createMemoryBlobCache(config.blobCache),
    );
    const aggregators = onClose(
      createAggregatorReader({ ...config.aggregators, maxBytes: maxEnvelopeLength, log: loggers.blobs }),
    );
    const keyFor = (purpose: 'lexical' | 'vector-map') => (accountId: Buffer) =>
      Buffer.from(indexKey(config.secrets.indexKey, purpose, accountId.toString('hex')));
    const embedder = createEmbedder(config.embedding, keyFor('lexical'));
    const chat = config.chat && onClose(createChatClient(config.chat));
    const vectors = createAccountVectors(embedder.dimension, keyFor('vector-map'));
    const blindIndex = createBlindIndex(config.secrets.indexKey, config.blindIndex);
    const indexer = createTextIndexer({ embedder, vectors, blindIndex });
    const outbox = createOutbox(ring);
    const alerts = onClose(await startAlerts({ config, db, sidecar, log: loggers.alerts }));
    const wallets = await createWalletPool(db, store.wallets);
    const quilts = {
      ...quiltBounds(config.quilts.maxItems, store.n_shards),
      windowMs: config.quilts.windowMs,
    };
    const pipeline = await startPipeline({
      db,
      accounts,
      sidecar,
      blobCache,
      embedJobs: createEmbedStage({ db, indexer, outbox, aggregators, log: loggers.jobs }),
      uploadConcurrency: config.uploadConcurrency,
      storeEpochs: config.storeEpochs,
      wallets,
      alerts: alerts.sender,
      quilts,
      log: loggers.jobs,
    });
    handBack = pipeline.close;

    onClose(
      await startUpkeep({
        db,
        sidecar,
        accounts,
        aggregators,
        blobCache,
        wakeUpload: () => pipeline.wakeUpload(),
        maxItems: quilts.maxItems,
        config,
        loggers,
      }),
    );

    const withWallet = wallets && createWithWallet(db, wallets);
    const expiredDelegates = createExpiredDelegates({
      accounts,
      prune: (accountId) =>
        withWallet
          ? withWallet((wallet) => sidecar.pruneExpired(accountId, wallet))
          : sidecar.pruneExpired(accountId, undefined),
      log: loggers.accounts,
    });

    const idempotency = createIdempotency(db, ring, config.secrets.indexKey);
    const { keepDoneDays } = config.jobs;
    const maintenance = startMaintenance(
      {
        idempotency: idempotency.purge,
        formerBlobs: () => pruneFormerBlobs(db),
        grants: () => pruneGrants(db, Date.now()),
        ...(config.blindIndex ? {} : { keywords: () => dropKeywords(db) }),
        ...(keepDoneDays === undefined ? {} : { jobs: () => pruneJobs(db, keepDoneDays) }),
      },
      loggers.database,
    );
    closers.push(() => maintenance.stop());
    if (db.kind === 'pglite') {
      const vacuum = startVacuum(db, loggers.database);
      closers.push(() => vacuum.stop());
    }

    const context: RelayerContext = {
      network: config.network,
      db,
      accounts,
      expiredDelegates,
      nonces,
      sidecar,
      namespaceKeys: createNamespaceKeys({
        db,
        sidecar,
        macKey: Buffer.from(indexKey(config.secrets.indexKey, 'namespace-key', '')),
        serverSet: async () => keyServers.current,
        log: loggers.memories,
      }),
      verifiedKeys: createVerifiedKeys(db, loggers.memories),
      keyRewraps: createKeyRewraps(db, keyServers.current),
      embedder,
      chat,
      requireEmbedder() {
        if (embedder.mock && config.network !== 'localnet' && !config.embedding.allowMock)
          throw new ApiError('llm_not_configured');
      },
      checkVector: (values) => checkVector(values, embedder.dimension),
      vectors,
      blindIndex,
      indexer,
      accountWriters: createAccountWriters(db),
      namespaceSizes: createNamespaceSizes(db),
      queryVectors: createQueryVectors(embedder, config.embedding.cacheTtlSeconds),
      reindexing: onClose(await startReindexing(db)),
      requestBounds: createRequestBounds(),
      blobCache,
      aggregators,
      outbox,
      idempotency,
      backlog: createBacklog(db, config.jobs.backlog),
      pipeline,
      storageTime: createStorageTime(sidecar, config.renewals.epochsLeft),
      uploadWallets: store.wallets,
      secrets: config.secrets,
      repackAfterMs: config.quilts.repackAfterMs,
      writerPublicKeys: config.secrets.writerKeys.map((seed) =>
        Buffer.from(nodePrimitives.ed25519PublicKey(seed)).toString('hex'),
      ),
      sealing: {
        packageId,
        serverSets: [keyServers.current, ...keyServers.historical.map(({ id }) => id)],
      },
      serverAddress: config.serverAddress,
      tagOf: (origin, namespace) => namespaceTag(nodePrimitives, hexToBytes(origin), namespace),
      publicConfig: async () => publicConfig(config, keyServers, embedder),
      loggers,
    };
    onClose(await openRoutes(app, context, config));
    await app.register(async (signed) => {
      registerAuth(signed, {
        accounts,
        nonces,
        fallbackAccountId: config.accountId,
        trustedProxyHops: config.trustedProxyHops,
        log: loggers.auth,
      });
      registerStageTimes(signed);
      registerRequestBounds(signed, context.requestBounds);
      signedRoutes(signed, context);
    });
    await app.listen({ port: config.port, host: config.listenHost });
    const url = listener.urlAt((app.server.address() as AddressInfo).port);
    closers.push(async () => {
      // A request or stream that does not end must not take the time that the others have
      const forced = setTimeout(() => app.server.closeAllConnections(), requestsEndMs);
      await Promise.all([app.close(), pipeline.drain()]);
      clearTimeout(forced);
    });
    return { url, context, app, close: () => closeAll(closers) };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}
