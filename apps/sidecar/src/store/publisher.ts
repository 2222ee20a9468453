import type { BlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import { ChainRejectedError, ChainUnavailableError } from '@memrelay/chain/chain-errors';
import { blobIdPattern } from '@memrelay/protocol/fields';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { Pool } from 'undici';
import { z } from 'zod';
import type { StoreClaims } from './publisher-token.ts';
import type { Upload } from './upload.ts';

/** A publisher's answer to a store; releases differ in the fields that are not read here. */
const storeAnswer = z.union([
  z.object({
    newlyCreated: z.object({
      blobObject: z.object({
        id: z.string(),
        blobId: z.string().regex(blobIdPattern),
        storage: z.object({ endEpoch: z.number().int() }),
      }),
    }),
  }),
  z.object({
    alreadyCertified: z.object({
      blobId: z.string().regex(blobIdPattern),
      object: z.string().optional(),
      endEpoch: z.number().int(),
    }),
  }),
]);

/** The certified object of these bytes that an owner holds already, if one does. */
export type FindDelivered = (
  owner: string,
  blobId: string,
  minEndEpoch: number | undefined,
) => Promise<{ objectId: string; endEpoch: number } | undefined>;

export interface BlobPublisher {
  /** Stores the bytes and sends the blob object to `owner`. The result is `done` or `failed`; does not throw. */
  store(
    bytes: Buffer,
    options: Pick<Upload, 'owner' | 'epochs' | 'resume'> & Partial<Pick<Upload, 'minEndEpoch'>>,
  ): Promise<UploadCheckpoint>;
  close(): Promise<void>;
}

/** Refusals that no repetition mends: the blob or the request itself is refused. */
const permanentStatuses = new Set([400, 413, 422, 451]);
const otherBlob = 'the publisher stored another blob than it was given';

/**
 * Uploads through a publisher's HTTP API (spec, blob store, "Publisher"). What it says that it stored is believed only
 * when the blob id is the one of these bytes. With `token`, each store carries one made for it alone.
 */
export function createPublisher(
  baseUrl: string,
  blobIds: Pick<BlobIdPool, 'ofBytes'>,
  delivered: FindDelivered,
  token?: (claims: StoreClaims) => Promise<string>,
): BlobPublisher {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const pool = new Pool(base.origin, { connections: 32, headersTimeout: 120_000, bodyTimeout: 30_000 });
  const failed = (kind: 'transient' | 'permanent', reason: string): UploadCheckpoint => ({
    stage: 'failed',
    kind,
    reason,
  });
  return {
    async store(bytes, { owner, epochs, resume, minEndEpoch }) {
      const target = new URL('v1/blobs', base);
      target.searchParams.set('epochs', String(epochs));
      target.searchParams.set('send_object_to', owner);
      // Computed while the publisher works; its failure is seen where it is awaited
      const identity = blobIds.ofBytes(bytes);
      identity.catch(() => undefined);
      try {
        if (resume) {
          const { blobId } = await identity;
          const there = await delivered(owner, blobId, minEndEpoch);
          if (there)
            return {
              stage: 'done',
              blob_id: blobId,
              object_id: there.objectId,
              end_epoch: there.endEpoch,
            };
        }
        const response = await pool.request({
          method: 'PUT',
          path: target.pathname + target.search,
          headers: {
            'content-type': 'application/octet-stream',
            ...(token && {
              authorization: `Bearer ${await token({ size: bytes.length, epochs, owner })}`,
            }),
          },
          body: bytes,
        });
        if (response.statusCode !== 200) {
          await response.body.dump();
          const kind = permanentStatuses.has(response.statusCode) ? 'permanent' : 'transient';
          return failed(kind, `the publisher answered ${response.statusCode}`);
        }
        const answer = storeAnswer.safeParse(await response.body.json());
        // A 200 can carry a per-blob error: the upload began and then failed
        if (!answer.success) return failed('transient', 'the publisher sent no blob object');
        const { blobId: expected } = await identity;
        if ('newlyCreated' in answer.data) {
          const { blobObject } = answer.data.newlyCreated;
          if (blobObject.blobId !== expected) return failed('transient', otherBlob);
          return {
            stage: 'done',
            blob_id: blobObject.blobId,
            object_id: blobObject.id,
            end_epoch: blobObject.storage.endEpoch,
          };
        }
        const { blobId, object, endEpoch } = answer.data.alreadyCertified;
        if (blobId !== expected) return failed('transient', otherBlob);
        if (endEpoch < (minEndEpoch ?? 0))
          return failed('transient', 'the publisher did not store it for longer');
        return {
          stage: 'done',
          blob_id: blobId,
          end_epoch: endEpoch,
          ...(object ? { object_id: object } : {}),
        };
      } catch (error) {
        if (error instanceof ChainUnavailableError || error instanceof ChainRejectedError)
          return failed('transient', 'the chain cannot be reached');
        return failed('transient', `the publisher cannot be reached (${(error as Error).name})`);
      }
    },
    close: () => pool.close(),
  };
}
