import type { BlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import type { ChainClient } from '@memrelay/chain/chain-client';
import type { StoreInfo, UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { WalrusClient } from '@mysten/walrus';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { findDelivered } from './delivered.ts';
import { createPublisher } from './publisher.ts';
import { publisherTokens } from './publisher-token.ts';
import { createRelayUploader } from './relay-uploader.ts';
import type { Upload } from './upload.ts';
import { type UploadWallet, uploadWallets } from './upload-wallets.ts';

/** Brings envelopes to the network, by a publisher or by wallets of our own. */
export interface Uploads {
  readonly info: StoreInfo;
  /** Those that pay, by address; none where a publisher does */
  readonly wallets: ReadonlyMap<string, UploadWallet>;
  /** Checkpoints as they are reached; the last is `done` or `failed`. Does not throw. */
  upload(bytes: Buffer, options: Upload): AsyncGenerator<UploadCheckpoint>;
  /** Tip of the upload relay for a blob of this size, in MIST; nothing where a publisher pays */
  tipMist(size: number): Promise<bigint>;
  close(): Promise<void>;
}

/** Most that an upload relay may ask as a tip, in MIST: a relay that asks for more is not used. */
const maxTipMist = 10_000_000;

export function createUploads(config: Config, chain: ChainClient, blobIds: BlobIdPool, log: Logger): Uploads {
  const { uploads } = config;
  const walrus = new WalrusClient({
    suiClient: chain.sui,
    packageConfig: config.walrus,
    uploadRelay: { host: uploads.relayUrl.replace(/\/+$/, ''), sendTip: { max: maxTipMist } },
  });
  if (uploads.mode === 'relay') {
    const wallets = uploadWallets(uploads.walletKeys);
    const relay = createRelayUploader({ walrus, chain, wallets, blobIds, log });
    return {
      info: { mode: 'relay', wallets: [...wallets.keys()] },
      wallets,
      upload: relay.upload,
      tipMist: async (size) => BigInt(await walrus.calculateUploadRelayTip({ size })),
      close: async () => undefined,
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
    info: { mode: 'publisher', wallets: [] },
    wallets: new Map(),
    async *upload(bytes, options) {
      yield await publisher.store(bytes, options);
    },
    tipMist: async () => 0n,
    close: () => publisher.close(),
  };
}
