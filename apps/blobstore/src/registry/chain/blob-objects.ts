import type { ChainClient } from '@memrelay/chain/chain-client';
import {
  type Blob,
  blobBcs,
  blobIdFromInteger,
  blobMetadataBcs,
  sharedBlobBcs,
} from '@memrelay/chain/walrus-bcs';
import { bcs } from '@mysten/sui/bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import { deriveDynamicFieldID, parseStructTag } from '@mysten/sui/utils';
import type { BlobAttributes, ObjectRecord } from '../blob-registry.ts';

export interface ObjectRef {
  objectId: string;
  version: string;
  digest: string;
}

/** A blob object as it is on chain now, by itself or in the SharedBlob object that contains it. */
export interface ReadBlob {
  object: ObjectRecord['object'];
  attributes: BlobAttributes;
  /** Reference of the requested object */
  ref: ObjectRef;
  sharedBlobObject?: string;
}

/** Maximum number of objects per read, set by full nodes. */
const maxRead = 50;
const attributesField = bcs.string().serialize('metadata').toBytes();

type ChainObject = SuiClientTypes.Object<{ content: true }>;

function toBlobObject(blob: Blob): ReadBlob['object'] {
  const { storage } = blob;
  return {
    id: blob.id,
    registeredEpoch: blob.registered_epoch,
    blobId: blobIdFromInteger(blob.blob_id),
    size: Number(blob.size),
    certifiedEpoch: blob.certified_epoch,
    storage: {
      id: storage.id,
      startEpoch: storage.start_epoch,
      endEpoch: storage.end_epoch,
      storageSize: Number(storage.storage_size),
    },
    deletable: blob.deletable,
  };
}

/** Reads objects by id. Objects that do not exist are omitted. */
export async function readObjects(chain: ChainClient, ids: string[]): Promise<Map<string, ChainObject>> {
  const found = new Map<string, ChainObject>();
  for (let start = 0; start < ids.length; start += maxRead) {
    const objectIds = ids.slice(start, start + maxRead);
    const { objects } = await chain.call((sui, signal) =>
      sui.core.getObjects({ objectIds, include: { content: true }, signal }),
    );
    for (const object of objects) {
      if (!(object instanceof Error)) found.set(object.objectId, object);
    }
  }
  return found;
}

/** The object that has the attributes of a blob. */
function attributesId(blobObject: string): string {
  return deriveDynamicFieldID(blobObject, 'vector<u8>', attributesField);
}

/** The field's object is its id, its name and its value. */
function parseAttributes(field: ChainObject | undefined): BlobAttributes {
  if (field === undefined) return {};
  const value = field.content.subarray(32 + attributesField.length);
  const { contents } = blobMetadataBcs.parse(value).metadata;
  return Object.fromEntries(contents.map(({ key, value: text }) => [key, text]));
}

function parseBlob(
  packageId: string,
  object: ChainObject,
): { blob: Blob; sharedBlobObject?: string } | undefined {
  if (!object.type.includes('::')) return undefined;
  const { address, module, name } = parseStructTag(object.type);
  if (address !== packageId) return undefined;
  if (module === 'blob' && name === 'Blob') return { blob: blobBcs.parse(object.content) };
  if (module !== 'shared_blob' || name !== 'SharedBlob') return undefined;
  return { blob: sharedBlobBcs.parse(object.content).blob, sharedBlobObject: object.objectId };
}

/**
 * Reads blobs by the ids of their own objects or of their SharedBlob objects. Ids that are not blobs, or no longer
 * exist, are omitted.
 */
export async function readBlobs(
  chain: ChainClient,
  packageId: string,
  ids: string[],
): Promise<Map<string, ReadBlob>> {
  const objects = await readObjects(
    chain,
    ids.flatMap((id) => [id, attributesId(id)]),
  );
  const found = new Map<string, ReadBlob>();
  for (const id of ids) {
    const object = objects.get(id);
    const parsed = object && parseBlob(packageId, object);
    if (object === undefined || parsed === undefined) continue;
    const { blob, ...shared } = parsed;
    const { objectId, version, digest } = object;
    const attributes = parseAttributes(objects.get(attributesId(id)));
    found.set(id, { object: toBlobObject(blob), attributes, ref: { objectId, version, digest }, ...shared });
  }
  const sharedOnes = [...found.values()].filter(({ sharedBlobObject }) => sharedBlobObject !== undefined);
  const fields = await readObjects(
    chain,
    sharedOnes.map(({ object }) => attributesId(object.id)),
  );
  for (const blob of sharedOnes) blob.attributes = parseAttributes(fields.get(attributesId(blob.object.id)));
  return found;
}

/** The SharedBlob objects among `ids`, by the id of the blob object that they contain. */
export async function sharedAmong(
  chain: ChainClient,
  packageId: string,
  ids: string[],
): Promise<Map<string, { sharedBlobObject: string }>> {
  const shared = new Map<string, { sharedBlobObject: string }>();
  for (const object of (await readObjects(chain, ids)).values()) {
    const parsed = parseBlob(packageId, object);
    if (parsed?.sharedBlobObject === undefined) continue;
    shared.set(parsed.blob.id, { sharedBlobObject: parsed.sharedBlobObject });
  }
  return shared;
}
