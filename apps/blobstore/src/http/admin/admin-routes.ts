import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { BlobStoreAdmin, Page } from '../../admin/blob-store-admin.ts';
import { isBlobId } from '../../encoding/blob-id.ts';
import { toBlobObject } from '../../publisher/store-response.ts';
import type { ObjectRecord } from '../../registry/blob-registry.ts';
import { ApiError, blobNotFound, invalidIdFormat } from '../api-error.ts';
import { parseObjectId } from '../object-id.ts';
import { invalidObjectId } from '../read-errors.ts';
import { replyJson } from '../reply-json.ts';
import { parseAdvance, parseAttributes, parseExtension, parseFault, readFields } from './admin-body.ts';
import { parseListQuery } from './admin-query.ts';
import { requireAdminToken } from './admin-token.ts';

type Answer = (request: FastifyRequest) => Promise<object>;

function paramOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

function blobIdOf(request: FastifyRequest): string {
  const id = paramOf(request);
  if (!isBlobId(id)) throw invalidIdFormat();
  return id;
}

function objectIdOf(request: FastifyRequest): string {
  const id = parseObjectId(paramOf(request));
  if (id === undefined) throw invalidObjectId();
  return id;
}

function faultNotFound(): ApiError {
  const fields = { httpStatus: 404, status: 'NOT_FOUND', reason: 'FAULT_NOT_FOUND' };
  return new ApiError('there is no such fault, or it is over', fields);
}

function toObject({ object, ...rest }: ObjectRecord): object {
  return { blobObject: toBlobObject(object), ...rest };
}

function toPage<T>(name: string, { items, cursor }: Page<T>): object {
  return { [name]: items, ...(cursor === undefined ? {} : { cursor }) };
}

/** All below `/admin`, each answering JSON to those who know the token (`docs/blob-store-admin.md`). */
export function addAdmin(app: FastifyInstance, admin: BlobStoreAdmin, token: string): void {
  const onRequest = requireAdminToken(token);

  function route(method: HTTPMethods, path: string, answer: Answer): void {
    app.route({
      method,
      url: `/admin${path}`,
      onRequest,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const body = JSON.stringify(await answer(request));
        return replyJson(reply.header('cache-control', 'no-store'), body);
      },
    });
  }

  route('GET', '/epoch', async () => ({ epoch: await admin.currentEpoch() }));
  route('POST', '/epoch/advance', async (request) => ({
    epoch: await admin.advanceEpoch(parseAdvance(await readFields(request))),
  }));
  route('POST', '/sweep', async () => ({ removed: await admin.sweep() }));

  route('GET', '/blobs', async ({ url }) => toPage('blobs', await admin.listBlobs(parseListQuery(url))));
  route('GET', '/blobs/:id', async (request) => {
    const { objects, ...blob } = await admin.getBlob(blobIdOf(request));
    return { ...blob, objects: objects.map(toObject) };
  });
  route('DELETE', '/blobs/:id', async (request) => {
    const deletion = await admin.deleteBlob(blobIdOf(request));
    if (deletion.deleted.length + deletion.kept.length === 0) throw blobNotFound();
    return deletion;
  });

  route('GET', '/objects', async ({ url }) => {
    const { items, ...page } = await admin.listObjects(parseListQuery(url, ['blob_id']));
    return toPage('objects', { ...page, items: items.map(toObject) });
  });
  route('DELETE', '/objects/:id', async (request) => {
    const objectId = objectIdOf(request);
    await admin.deleteObject(objectId);
    return { deleted: [objectId], kept: [] };
  });
  route('POST', '/objects/:id/extend', async (request) => {
    const objectId = objectIdOf(request);
    return { endEpoch: await admin.extendObject(objectId, parseExtension(await readFields(request))) };
  });
  route('PATCH', '/objects/:id/attributes', async (request) => {
    const objectId = objectIdOf(request);
    const changes = parseAttributes(await readFields(request));
    return { attributes: await admin.setAttributes(objectId, changes) };
  });

  const { faults } = admin;
  route('GET', '/faults', async () => ({ faults: faults.list() }));
  route('POST', '/faults', async (request) => faults.add(parseFault(await readFields(request))));
  route('DELETE', '/faults', async () => {
    faults.clear();
    return { faults: [] };
  });
  route('DELETE', '/faults/:id', async (request) => {
    if (!faults.remove(paramOf(request))) throw faultNotFound();
    return { faults: faults.list() };
  });
}
