import type { BlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { ApiError } from '@memrelay/protocol/errors';
import type { StoreInfo, UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { WalrusClient } from '@mysten/walrus';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { findDelivered } from './delivered.ts';
import { createPublisher } from './publisher.ts';
import { publisherTokens } from './publisher-token.ts';
import { patchId, type QuiltFile } from './quilt-encoding.ts';
import { createQuiltPool, type QuiltPool } from './quilt-pool.ts';
import { createRelayUploader } from './relay-uploader.ts';
import type { Upload, UploadContent } from './upload.ts';
import { type UploadWallet, uploadWallets } from './upload-wallets.ts';

/** Brings envelopes to the network, by a publisher or by wallets of our own. */
export interface Uploads {
  readonly info: StoreInfo;
  /** Those that pay, by address; none where a publisher does */
  readonly wallets: ReadonlyMap<string, UploadWallet>;
  /** Checkpoints as they are reached; the last is `done` or `failed`. Does not throw. */
  upload(bytes: Uint8Array, options: Upload): AsyncGenerator<UploadCheckpoint>;
  /** As `upload`, of these files as one quilt; those that fit into none are refused for good */
  uploadQuilt(files: readonly QuiltFile[], options: Upload): AsyncGenerator<UploadCheckpoint>;
  /** Tip of the upload relay for a blob of this size, in MIST; nothing where a publisher pays */
  tipMist(size: number): Promise<bigint>;
  close(): Promise<void>;
}

/** Most that an upload relay may ask as a tip, in MIST: a relay that asks for more is not used. */
const maxTipMist = 10_000_000;

export function createUploads(config: Config, chain: ChainClient, blobIds: BlobIdPool, log: Logger): Uploads {
  const { uploads, nShards } = config;
  const quilts = createQuiltPool(nShards, log);
  const walrus = new WalrusClient({
    suiClient: chain.sui,
    packageConfig: {
      systemObjectId: config.walrus.systemObjectId,
      stakingPoolId: config.walrus.stakingPoolId,
    },
    uploadRelay: { host: uploads.relayUrl.replace(/\/+$/, ''), sendTip: { max: maxTipMist } },
  });
  if (uploads.mode === 'relay') {
    const wallets = uploadWallets(uploads.walletKeys);
    const relay = createRelayUploader({ walrus, chain, wallets, blobIds, log });
    return {
      info: { mode: 'relay', wallets: [...wallets.keys()], n_shards: nShards },
      wallets,
      ...uploadsOf(quilts, relay.upload, log),
      tipMist: async (size) => BigInt(await walrus.calculateUploadRelayTip({ size })),
      close: quilts.close,
    };
  }
  const publisher = createPublisher(
    uploads.publisherUrl,
    blobIds,
    async (owner, blobId, minEndEpoch) =>
      findDelivered(chain, await walrus.getBlobType(), owner, blobId, minEndEpoch),
    uploads.publisherSecret === undefined ? undefined : publisherTokens(uploads.publisherSecret),
  );
  return {
    info: { mode: 'publisher', wallets: [], n_shards: nShards },
    wallets: new Map(),
    ...uploadsOf(quilts, publisher.store, log),
    tipMist: async () => 0n,
    async close() {
      await Promise.all([publisher.close(), quilts.close()]);
    },
  };
}

type UploadContents = (content: UploadContent, options: Upload) => AsyncGenerator<UploadCheckpoint>;

function uploadsOf(
  quilts: QuiltPool,
  upload: UploadContents,
  log: Logger,
): Pick<Uploads, 'upload' | 'uploadQuilt'> {
  return {
    upload: (bytes, options) => upload({ bytes }, options),
    async *uploadQuilt(files, options) {
      let content: UploadContent;
      try {
        const { bytes, ranges } = await quilts.encode(files);
        const patchIds = (quiltId: string) => ranges.map((range) => patchId(quiltId, range));
        content = { bytes, quilt: { files, patchIds } };
      } catch (error) {
        log.warn({ err: error, job_id: options.jobId, files: files.length }, 'a quilt could not be packed');
        const kind = error instanceof ApiError ? 'transient' : 'permanent';
        yield { stage: 'failed', kind, reason: 'the quilt could not be packed' };
        return;
      }
      yield* upload(content, options);
    },
  };
}
