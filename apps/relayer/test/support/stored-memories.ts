import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { StoreObject } from '@memrelay/protocol/sidecar-api';
import type { Db } from '../../src/base/db/db.ts';
import { encodeVector } from '../../src/base/db/vector.ts';
import { blobOf } from '../../src/blobs/blob-of.ts';

/** A stored memory with all its data. */
export interface StoredMemory {
  accountId: Buffer;
  id: string;
  blobId: string;
  objectId: string;
  envelope: Buffer;
}

export const model = 'model-of-today';
export const newId = (): string => `0x${randomBytes(32).toString('hex')}`;

/** Writes a memory that was stored two hours ago, with a vector of eight numbers. */
export async function storeMemory(
  db: Db,
  fields: Partial<StoredMemory> & { endEpoch?: number | null; namespace?: string; vector?: number[] } = {},
): Promise<StoredMemory> {
  const {
    accountId = randomBytes(32),
    id = randomUUID(),
    blobId = randomBytes(32).toString('base64url'),
    objectId = newId(),
    envelope = randomBytes(1_500),
    endEpoch = 60,
    namespace = 'default',
    vector = [1, 0, 0, 0, 0, 0, 0, 0],
  } = fields;
  await db.query(
    `INSERT INTO memory (account_id, id, namespace, state, blob_id, object_id, end_epoch, envelope_id, envelope_sha256,
       size, created_at)
     VALUES ($1, $2, $3, 'done', $4, $5, $6, $7, $8, $9, now() - interval '2 hours')`,
    [
      accountId,
      id,
      namespace,
      blobId,
      objectId,
      endEpoch,
      randomBytes(16),
      createHash('sha256').update(envelope).digest(),
      envelope.length,
    ],
  );
  await db.query(
    `INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
     VALUES ($1, $2, $3, $4, 0, 1, $5::vector, binary_quantize($5::vector))`,
    [accountId, namespace, model, id, encodeVector(Float32Array.from(vector))],
  );
  return { accountId, id, blobId, objectId, envelope };
}

/** A chain with these objects and their owners, which counts the queries. */
export class ChainOfObjects {
  epoch = 10;
  asked = 0;
  away = false;
  /** Owners whose objects cannot be listed */
  readonly silent = new Set<string>();
  readonly objects = new Map<string, StoreObject & { owner: string }>();

  /** The object of a memory; `owner` is the account's, as `accounts` reports it. */
  put({ accountId, blobId, objectId }: StoredMemory, endEpoch: number, certified = true): void {
    const owner = ownerOf(`0x${accountId.toString('hex')}`);
    const object = { object_id: objectId, blob_id: blobOf(blobId), end_epoch: endEpoch, certified, owner };
    this.objects.set(objectId, object);
  }

  readonly sidecar = {
    storeEpoch: async () => {
      if (this.away) throw new Error('the chain is away');
      return this.epoch;
    },
    storeObjects: async (request: {
      object_ids: string[];
      owned?: { owner: string; blob_ids: string[] } | undefined;
    }) => {
      this.asked += 1;
      if (this.away || this.silent.has(request.owned?.owner ?? '')) throw new Error('the chain is away');
      const { object_ids, owned } = request;
      const objects = [...this.objects.values()].filter(
        ({ object_id, blob_id, owner }) =>
          object_ids.includes(object_id) || (owner === owned?.owner && owned.blob_ids.includes(blob_id)),
      );
      return { epoch: this.epoch, objects: objects.map(({ owner: _, ...object }) => object) };
    },
  };

  readonly accounts = {
    account: async (accountId: string) => ({ accountId, owner: ownerOf(accountId) }) as never,
  };
}

/** An address other than the account's id, and always the same. */
function ownerOf(accountId: string): string {
  return `0x${createHash('sha256').update(accountId).digest('hex')}`;
}
