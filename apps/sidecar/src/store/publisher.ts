import type { BlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import { ChainRejectedError, ChainUnavailableError } from '@memrelay/chain/chain-errors';
import { blobIdPattern } from '@memrelay/protocol/fields';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import type { StoreClaims } from './publisher-token.ts';
import { quiltForm } from './quilt-form.ts';
import type { Upload, UploadContent } from './upload.ts';

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

/** A publisher's answer to a quilt. */
const quiltAnswer = z.object({
  blobStoreResult: storeAnswer,
  storedQuiltBlobs: z.array(z.object({ identifier: z.string(), quiltPatchId: z.string() })),
});

/** The certified object of these bytes that an owner holds already, if one does. */
export type FindDelivered = (
  owner: string,
  blobId: string,
  minEndEpoch: number | undefined,
) => Promise<{ objectId: string; endEpoch: number } | undefined>;

export interface BlobPublisher {
  /**
   * Stores the content and sends the blob object to `owner`. Tells which blob it will be before the publisher hears of
   * it; the last checkpoint is `done` or `failed`. Does not throw.
   */
  store(
    content: UploadContent,
    options: Pick<Upload, 'owner' | 'epochs' | 'resume'> & Partial<Pick<Upload, 'minEndEpoch'>>,
  ): AsyncGenerator<UploadCheckpoint>;
  close(): Promise<void>;
}

/** Refusals that no repetition mends: the blob or the request itself is refused. */
const permanentStatuses = new Set([400, 413, 422, 451]);
const otherBlob = 'the publisher stored another blob than it was given';

/**
 * Uploads through a publisher's HTTP API (spec, blob store, "Publisher"). What it says that it stored is believed only
 * when the blob id, and those of a quilt's patches, are the ones of these bytes. With `token`, each store carries one made for it alone.
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

  async function put(
    { bytes, quilt }: UploadContent,
    { owner, epochs }: Pick<Upload, 'owner' | 'epochs'>,
  ): Promise<Dispatcher.ResponseData> {
    const target = new URL(quilt ? 'v1/quilts' : 'v1/blobs', base);
    target.searchParams.set('epochs', String(epochs));
    target.searchParams.set('send_object_to', owner);
    const { contentType, body } = quilt
      ? quiltForm(quilt.files)
      : { contentType: 'application/octet-stream', body: bytes };
    const size = quilt ? { max_size: Math.max(body.length, bytes.length) } : { size: bytes.length };
    return pool.request({
      method: 'PUT',
      path: target.pathname + target.search,
      headers: {
        'content-type': contentType,
        ...(token && { authorization: `Bearer ${await token({ bytes: size, epochs, owner })}` }),
      },
      body,
    });
  }

  return {
    async *store(content, { owner, epochs, resume, minEndEpoch }) {
      const { bytes, quilt } = content;
      const done = (blobId: string, endEpoch: number, objectId: string | undefined): UploadCheckpoint => ({
        stage: 'done',
        blob_id: blobId,
        end_epoch: endEpoch,
        ...(objectId ? { object_id: objectId } : {}),
        ...(quilt ? { patch_ids: quilt.patchIds(blobId) } : {}),
      });
      try {
        const { blobId: expected } = await blobIds.ofBytes(bytes);
        const there = resume ? await delivered(owner, expected, minEndEpoch) : undefined;
        if (there) {
          yield done(expected, there.endEpoch, there.objectId);
          return;
        }
        yield { stage: 'named', blob_id: expected };
        const response = await put(content, { owner, epochs });
        if (response.statusCode !== 200) {
          await response.body.dump();
          const kind = permanentStatuses.has(response.statusCode) ? 'permanent' : 'transient';
          const refusal = failed(kind, `the publisher answered ${response.statusCode}`);
          yield response.statusCode === 507 ? { ...refusal, store_full: true } : refusal;
          return;
        }
        const stored = readAnswer(quilt, await response.body.json());
        // A 200 can carry a per-blob error: the upload began and then failed
        if (!stored) yield failed('transient', 'the publisher sent no blob object');
        else if (stored.blobId !== expected || !hasPatches(quilt, stored))
          yield failed('transient', otherBlob);
        else if (stored.isOld && stored.endEpoch < (minEndEpoch ?? 0))
          yield failed('transient', 'the publisher did not store it for longer');
        else yield done(expected, stored.endEpoch, stored.objectId);
      } catch (error) {
        if (error instanceof ChainUnavailableError || error instanceof ChainRejectedError)
          yield failed('transient', 'the chain cannot be reached');
        else yield failed('transient', `the publisher cannot be reached (${(error as Error).name})`);
      }
    },
    close: () => pool.close(),
  };
}

/** What the publisher says that it stored. */
interface Stored {
  blobId: string;
  objectId: string | undefined;
  endEpoch: number;
  /** It was there already */
  isOld: boolean;
  /** Of a quilt: its patches by identifier */
  patches: ReadonlyMap<string, string>;
}

/** Undefined for anything but a stored blob. */
function readAnswer(quilt: UploadContent['quilt'], body: unknown): Stored | undefined {
  if (!quilt) {
    const blob = storeAnswer.safeParse(body).data;
    return blob && { ...readBlob(blob), patches: new Map() };
  }
  const answer = quiltAnswer.safeParse(body).data;
  if (!answer) return undefined;
  const patches = answer.storedQuiltBlobs.map((patch) => [patch.identifier, patch.quiltPatchId] as const);
  return { ...readBlob(answer.blobStoreResult), patches: new Map(patches) };
}

function readBlob(answer: z.infer<typeof storeAnswer>): Omit<Stored, 'patches'> {
  if ('alreadyCertified' in answer) {
    const { blobId, object, endEpoch } = answer.alreadyCertified;
    return { blobId, objectId: object, endEpoch, isOld: true };
  }
  const { id, blobId, storage } = answer.newlyCreated.blobObject;
  return { blobId, objectId: id, endEpoch: storage.endEpoch, isOld: false };
}

/** Whether the patches are where we know them to be. */
function hasPatches(quilt: UploadContent['quilt'], { blobId, patches }: Stored): boolean {
  if (!quilt) return true;
  const expected = quilt.patchIds(blobId);
  return quilt.files.every(({ identifier }, i) => patches.get(identifier) === expected[i]);
}
