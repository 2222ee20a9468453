import type { StoreInfo } from '@memrelay/protocol/sidecar-api';
import type { Logger } from 'pino';
import type { AggregatorReader } from '../blobs/aggregator-reads.ts';
import type { Config } from '../config/config.ts';
import type { TextIndexer } from '../index/index-data.ts';
import { createEmbedStage } from '../jobs/embed/embed-stage.ts';
import { type PipelineOptions, startPipeline } from '../jobs/pipeline.ts';
import type { Outbox } from '../jobs/queue/outbox.ts';
import { createWalletPool } from '../jobs/rows/upload-wallets.ts';
import { quiltBounds } from '../jobs/upload/quilt-bounds.ts';

/** Starts the pipeline of accepted memories with the wallets and quilt sizes of the storage network. */
export async function startJobs(
  options: Pick<
    PipelineOptions,
    'db' | 'accounts' | 'sidecar' | 'blobCache' | 'alerts' | 'metrics' | 'tracing'
  > & {
    config: Pick<Config, 'quilts' | 'uploadConcurrency' | 'storeEpochs'>;
    store: Pick<StoreInfo, 'wallets' | 'n_shards'>;
    aggregators: AggregatorReader;
    indexer: TextIndexer;
    outbox: Outbox;
    log: Logger;
  },
) {
  const { config, store, aggregators, indexer, outbox, ...parts } = options;
  const { db, log } = parts;
  const wallets = await createWalletPool(db, store.wallets);
  const quilts = {
    ...quiltBounds(config.quilts.maxItems, store.n_shards),
    windowMs: config.quilts.windowMs,
  };
  const pipeline = await startPipeline({
    ...parts,
    embedJobs: createEmbedStage({ db, indexer, outbox, aggregators, log }),
    uploadConcurrency: config.uploadConcurrency,
    storeEpochs: config.storeEpochs,
    wallets,
    quilts,
  });
  return { pipeline, wallets, maxQuiltItems: quilts.maxItems };
}
