import type { BlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { ApiError } from '@memrelay/protocol/errors';
import type { StoreInfo, UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { WalrusClient } from '@mysten/walrus';
import type { Logger } from 'pino';
import { findDelivered } from './delivered.ts';
import { createPublisher } from './publisher.ts';
import { publisherTokens } from './publisher-token.ts';
import { patchId, type QuiltFile } from './quilt-encoding.ts';
import { createQuiltPool, type QuiltPool } from './quilt-pool.ts';
import { createRelayUploader } from './relay-uploader.ts';
import { failedUpload, type Upload, type UploadContent } from './upload.ts';
import { type UploadWallet, uploadWallets } from './upload-wallets.ts';
import type { WalrusObjects } from './walrus-package.ts';

/** How envelopes reach the network: through a publisher, or through the upload relay, paid by our wallets. */
export interface UploadSettings {
  mode: 'publisher' | 'relay';
  publisherUrl: string;
  /** Signs the tokens of an authenticated publisher */
  publisherSecret: string | undefined;
  relayUrl: string;
  walletKeys: readonly string[];
}

export interface UploadsOptions {
  settings: UploadSettings;
  walrus: Pick<WalrusObjects, 'systemObjectId' | 'stakingPoolId'>;
  nShards: number;
  chain: ChainClient;
  blobIds: BlobIdPool;
  log: Logger;
}

/** Uploads envelopes through a publisher or with our own wallets. */
export interface Uploads {
  readonly info: StoreInfo;
  /** The wallets that pay, by address; empty when a publisher pays */
  readonly wallets: ReadonlyMap<string, UploadWallet>;
  /** Checkpoints as they are reached; the last is `done` or `failed`. Does not throw. */
  upload(bytes: Uint8Array, options: Upload): AsyncGenerator<UploadCheckpoint>;
  /** Like `upload`, with these files as one quilt. Files that do not fit into a quilt fail permanently */
  uploadQuilt(files: readonly QuiltFile[], options: Upload): AsyncGenerator<UploadCheckpoint>;
  /** Tip of the upload relay for a blob of this size, in MIST; 0 when a publisher pays */
  tipMist(size: number): Promise<bigint>;
  close(): Promise<void>;
}

/** Largest tip, in MIST, that is paid to an upload relay. A relay with a higher tip is not used. */
const maxTipMist = 10_000_000;

export function createUploads(options: UploadsOptions): Uploads {
  const { settings, nShards, chain, blobIds, log } = options;
  const quilts = createQuiltPool(nShards, log);
  const walrus = new WalrusClient({
    suiClient: chain.sui,
    packageConfig: {
      systemObjectId: options.walrus.systemObjectId,
      stakingPoolId: options.walrus.stakingPoolId,
    },
    uploadRelay: { host: settings.relayUrl.replace(/\/+$/, ''), sendTip: { max: maxTipMist } },
  });
  if (settings.mode === 'relay') {
    const wallets = uploadWallets(settings.walletKeys);
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
    settings.publisherUrl,
    blobIds,
    async (owner, blobId, minEndEpoch) =>
      findDelivered(chain, await walrus.getBlobType(), owner, blobId, minEndEpoch),
    settings.publisherSecret === undefined ? undefined : publisherTokens(settings.publisherSecret),
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
        log.warn({ err: error, job_id: options.jobId, files: files.length }, 'packing a quilt failed');
        const kind = error instanceof ApiError ? 'transient' : 'permanent';
        yield failedUpload(kind, 'the quilt could not be packed');
        return;
      }
      yield* upload(content, options);
    },
  };
}
