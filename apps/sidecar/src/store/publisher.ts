import { randomBytes } from 'node:crypto';
import type { BlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import { ChainRejectedError, ChainUnavailableError } from '@memrelay/chain/chain-errors';
import { blobIdPattern } from '@memrelay/protocol/fields';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { type Dispatcher, Pool } from 'undici';
import { z } from 'zod';
import type { StoreClaims } from './publisher-token.ts';
import type { QuiltFile } from './quilt-encoding.ts';
import { failedUpload, finishedUpload, type Upload, type UploadContent } from './upload.ts';

/** A publisher's response to a store. Contains only the fields that all publisher releases have. */
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

/** A publisher's response to a quilt. */
const quiltAnswer = z.object({
  blobStoreResult: storeAnswer,
  storedQuiltBlobs: z.array(z.object({ identifier: z.string(), quiltPatchId: z.string() })),
});

/** Looks up a certified object of this blob that the owner already has. */
export type FindDelivered = (
  owner: string,
  blobId: string,
  minEndEpoch: number | undefined,
) => Promise<{ objectId: string; endEpoch: number } | undefined>;

export interface BlobPublisher {
  /**
   * Stores the content and sends the blob object to `owner`. Yields the blob id before the publisher is called; the last
   * checkpoint is `done` or `failed`. Does not throw.
   */
  store(
    content: UploadContent,
    options: Pick<Upload, 'owner' | 'epochs' | 'resume'> & Partial<Pick<Upload, 'minEndEpoch'>>,
  ): AsyncGenerator<UploadCheckpoint>;
  close(): Promise<void>;
}

/** Refusals that a retry cannot fix: the blob or the request itself is refused. */
const permanentStatuses = new Set([400, 413, 422, 451]);
const otherBlob = 'the publisher stored a different blob than it was sent';

/**
 * Uploads through a publisher's HTTP API (spec, blob store, "Publisher"). The answer is accepted only if its blob
 * id, and the patch ids of a quilt, match the uploaded bytes. With `token`, each store has a separate token.
 */
export function createPublisher(
  baseUrl: string,
  blobIds: Pick<BlobIdPool, 'ofBytes'>,
  findDelivered: FindDelivered,
  token?: (claims: StoreClaims) => Promise<string>,
): BlobPublisher {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const pool = new Pool(base.origin, { connections: 32, headersTimeout: 120_000, bodyTimeout: 30_000 });

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
      try {
        const { blobId: expected } = await blobIds.ofBytes(bytes);
        const existing = resume ? await findDelivered(owner, expected, minEndEpoch) : undefined;
        if (existing) {
          yield finishedUpload(content, { blobId: expected, ...existing });
          return;
        }
        yield { stage: 'named', blob_id: expected };
        const response = await put(content, { owner, epochs });
        if (response.statusCode !== 200) {
          await response.body.dump();
          const kind = permanentStatuses.has(response.statusCode) ? 'permanent' : 'transient';
          const refusal = failedUpload(kind, `the publisher answered ${response.statusCode}`);
          yield response.statusCode === 507 ? { ...refusal, store_full: true } : refusal;
          return;
        }
        const stored = readAnswer(quilt, await response.body.json());
        // A 200 can carry a per-blob error: the upload started and then failed
        if (!stored) yield failedUpload('transient', 'the publisher returned no blob object');
        else if (stored.blobId !== expected || !hasPatches(quilt, stored))
          yield failedUpload('transient', otherBlob);
        else if (stored.isOld && stored.endEpoch < (minEndEpoch ?? 0))
          yield failedUpload('transient', 'the publisher did not extend the lifetime of the blob');
        else yield finishedUpload(content, stored);
      } catch (error) {
        if (error instanceof ChainUnavailableError || error instanceof ChainRejectedError)
          yield failedUpload('transient', 'the chain cannot be reached');
        else yield failedUpload('transient', `the publisher cannot be reached (${(error as Error).name})`);
      }
    },
    close: () => pool.close(),
  };
}

/** The stored blob as reported by the publisher. */
interface Stored {
  blobId: string;
  objectId: string | undefined;
  endEpoch: number;
  /** The blob was certified before this store */
  isOld: boolean;
  /** Patch ids of a quilt by identifier */
  patches: ReadonlyMap<string, string>;
}

/** Undefined unless the answer is a stored blob. */
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

/** Whether the reported patch ids are the ones that we computed. */
function hasPatches(quilt: UploadContent['quilt'], { blobId, patches }: Stored): boolean {
  if (!quilt) return true;
  const expected = quilt.patchIds(blobId);
  return quilt.files.every(({ identifier }, i) => patches.get(identifier) === expected[i]);
}

/** The multipart form of `PUT /v1/quilts`: one part per file, named by its identifier. */
function quiltForm(files: readonly QuiltFile[]): { contentType: string; body: Buffer } {
  const boundary = `memrelay-${randomBytes(16).toString('hex')}`;
  const parts = files.flatMap(({ identifier, contents }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${identifier}"\r\n\r\n`),
    contents,
    Buffer.from('\r\n'),
  ]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
