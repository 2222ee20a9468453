import type { BlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { executeTransaction } from '@memrelay/chain/execute-transaction';
import { readWalCoins } from '@memrelay/chain/wal-coins';
import { blobBcs } from '@memrelay/chain/walrus-bcs';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { Transaction } from '@mysten/sui/transactions';
import type { WalrusClient } from '@mysten/walrus';
import type { Logger } from 'pino';
import { blobsOf, findDelivered } from './delivered.ts';
import { retryRelay, UnpaidError, uploadFailure, WalletEmptyError } from './relay-failures.ts';
import { failedUpload, finishedUpload, quiltAttributes, type Upload, type UploadContent } from './upload.ts';
import type { UploadWallet } from './upload-wallets.ts';

/**
 * Uploads through Walrus' upload relay, paid by a wallet of the pool: register, relay, certify, and transfer the object
 * to its owner. Certifying and transferring are one transaction, so a certified object never remains in the wallet.
 */
export interface RelayUploader {
  /** Checkpoints as they are reached; the last is `done` or `failed`. Does not throw. */
  upload(content: UploadContent, options: Upload): AsyncGenerator<UploadCheckpoint>;
}

export interface RelayUploaderOptions {
  walrus: WalrusClient;
  chain: ChainClient;
  wallets: ReadonlyMap<string, UploadWallet>;
  blobIds: Pick<BlobIdPool, 'ofBytes'>;
  log: Logger;
}

/** A registered object without a certificate yet, and the transaction that registered it. */
interface Registered {
  objectId: string;
  digest: string;
  endEpoch: number;
}

/** The content to store and the ids computed from its bytes. */
type IdentifiedContent = UploadContent & { blobId: string; rootHash: string };

/** An upper bound for the two transactions of an upload and the relay's tip. A wallet with less is not used. */
export const gasReserveMist = 50_000_000n;

export function createRelayUploader(options: RelayUploaderOptions): RelayUploader {
  const { walrus, chain, wallets, blobIds, log } = options;

  /** Finds the object that an upload interrupted by a crash left in the wallet. */
  async function findRegistered(wallet: UploadWallet, blobId: string): Promise<Registered | undefined> {
    const own = await blobsOf(chain, await walrus.getBlobType(), wallet.address, blobId);
    const blob = own.find(({ certified }) => !certified);
    if (!blob) return undefined;
    const { objectId, endEpoch } = blob;
    const { object } = await chain.call((sui, signal) =>
      sui.core.getObject({ objectId, include: { previousTransaction: true }, signal }),
    );
    return object.previousTransaction
      ? { objectId, digest: object.previousTransaction, endEpoch }
      : undefined;
  }

  /** Checked before signing, to distinguish an empty wallet from a refusal by the chain. */
  async function checkFunds(address: string, size: number, epochs: number): Promise<void> {
    const { totalCost } = await walrus.storageCost(size, epochs);
    const coins = await readWalCoins(chain, address);
    if (coins.reduce((sum, { value }) => sum + value, 0n) < totalCost) throw new WalletEmptyError('WAL');
    await checkGas(address);
  }

  async function checkGas(address: string): Promise<void> {
    const { balance } = await chain.call((sui, signal) => sui.core.getBalance({ owner: address, signal }));
    if (BigInt(balance.balance) < gasReserveMist) throw new WalletEmptyError('SUI');
  }

  async function register(
    wallet: UploadWallet,
    blob: IdentifiedContent,
    { epochs, jobId }: Upload,
  ): Promise<Registered> {
    const { blobId, bytes } = blob;
    await checkFunds(wallet.address, bytes.length, epochs);
    const transaction = new Transaction();
    transaction.setSender(wallet.address);
    // The tip's payload must be the first input of the transaction
    transaction.add(
      walrus.sendUploadRelayTip({
        size: bytes.length,
        blobDigest: async () => new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))),
        nonce: Uint8Array.from(wallet.nonceFor(jobId, blobId)),
      }),
    );
    const registration = transaction.add(
      walrus.registerBlob({
        size: bytes.length,
        epochs,
        blobId,
        rootHash: Uint8Array.from(Buffer.from(blob.rootHash, 'base64url')),
        deletable: true,
        ...(blob.quilt ? { attributes: quiltAttributes } : {}),
      }),
    );
    transaction.transferObjects([registration], wallet.address);
    const done = await executeTransaction(chain, transaction, wallet.signer);
    const blobType = await walrus.getBlobType();
    const created = done.changedObjects.find(
      ({ objectId, idOperation }) => idOperation === 'Created' && done.objectTypes[objectId] === blobType,
    );
    if (!created) throw new Error('the registration created no blob object');
    const { object } = await chain.call((sui, signal) =>
      sui.core.getObject({ objectId: created.objectId, include: { content: true }, signal }),
    );
    const { storage } = blobBcs.parse(object.content);
    return { objectId: created.objectId, digest: done.digest, endEpoch: storage.end_epoch };
  }

  /** Registers unless an earlier attempt did, even if that attempt's transaction becomes visible only now. */
  async function registerOnce(
    wallet: UploadWallet,
    blob: IdentifiedContent,
    upload: Upload,
  ): Promise<Registered> {
    const before = upload.resume ? await findRegistered(wallet, blob.blobId) : undefined;
    if (before) return before;
    try {
      return await wallet.run(() => register(wallet, blob, upload));
    } catch (error) {
      if (!(error instanceof ChainRejectedError)) throw error;
      const late = await findRegistered(wallet, blob.blobId);
      if (late) return late;
      throw new UnpaidError('nothing was paid', { cause: error });
    }
  }

  async function* run(
    wallet: UploadWallet,
    content: UploadContent,
    upload: Upload,
  ): AsyncGenerator<UploadCheckpoint> {
    const { bytes } = content;
    const { blobId, rootHash } = await blobIds.ofBytes(bytes);
    if (upload.resume) {
      const { owner, minEndEpoch } = upload;
      const delivered = await findDelivered(chain, await walrus.getBlobType(), owner, blobId, minEndEpoch);
      if (delivered) {
        log.info({ job_id: upload.jobId }, 'an earlier attempt already delivered the object to its owner');
        yield finishedUpload(content, delivered);
        return;
      }
    }
    yield { stage: 'named', blob_id: blobId };
    const registered = await registerOnce(wallet, { ...content, blobId, rootHash }, upload);
    const { objectId, endEpoch } = registered;
    yield { stage: 'registered', blob_id: blobId, object_id: objectId };

    const { certificate } = await retryRelay(() =>
      walrus.writeBlobToUploadRelay({
        blobId,
        blob: new Uint8Array(bytes),
        nonce: Uint8Array.from(wallet.nonceFor(upload.jobId, blobId)),
        txDigest: registered.digest,
        blobObjectId: objectId,
        deletable: true,
        encodingType: 'RS2',
      }),
    );
    yield { stage: 'relayed', blob_id: blobId };

    const transaction = new Transaction();
    transaction.setSender(wallet.address);
    transaction.add(walrus.certifyBlob({ blobId, blobObjectId: objectId, certificate, deletable: true }));
    transaction.transferObjects([objectId], upload.owner);
    try {
      await wallet.run(() => executeTransaction(chain, transaction, wallet.signer));
    } catch (error) {
      // If the wallet was emptied after registering, another wallet has to start over
      await checkGas(wallet.address);
      throw error;
    }
    yield { stage: 'certified', blob_id: blobId, object_id: objectId };
    yield finishedUpload(content, { blobId, objectId, endEpoch });
  }

  return {
    async *upload(content, upload) {
      const wallet = upload.wallet && wallets.get(upload.wallet);
      if (!wallet) {
        yield failedUpload('transient', 'this sidecar does not have the key of the wallet');
        return;
      }
      try {
        yield* run(wallet, content, upload);
      } catch (error) {
        log.warn(
          { err: error, job_id: upload.jobId, wallet: wallet.address },
          'upload through the relay failed',
        );
        yield uploadFailure(error, wallet.address);
      }
    },
  };
}
