import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, blobNotFound } from '../base/api-error.ts';
import { requireBlobId, requireObjectId } from '../base/ids.ts';
import { replyJson } from '../http/reply-json.ts';
import { toBlobObject } from '../publisher/store-response.ts';
import type { ObjectRecord } from '../registry/blob-registry.ts';
import { parseAdvance, parseAttributes, parseExtension, parseFault, readFields } from './admin-body.ts';
import { parseListQuery } from './admin-query.ts';
import { requireAdminToken } from './admin-token.ts';
import type { BlobStoreAdmin, Page } from './blob-store-admin.ts';

function paramOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

function blobIdOf(request: FastifyRequest): string {
  return requireBlobId(paramOf(request));
}

function objectIdOf(request: FastifyRequest): string {
  return requireObjectId(paramOf(request));
}

export function faultNotFound(): ApiError {
  const fields = { httpStatus: 404, status: 'NOT_FOUND', reason: 'FAULT_NOT_FOUND' };
  return new ApiError('no such fault, or it has ended', fields);
}

function toObject({ object, ...rest }: ObjectRecord): object {
  return { blobObject: toBlobObject(object), ...rest };
}

function toPage<T>(name: string, { items, cursor }: Page<T>): object {
  return { [name]: items, ...(cursor === undefined ? {} : { cursor }) };
}

interface AdminRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: `/admin/${string}`;
  answer: (request: FastifyRequest) => Promise<object>;
}

/** Registers routes that require the token and answer JSON. */
function behind(token: string, app: FastifyInstance): { route(route: AdminRoute): void } {
  const onRequest = requireAdminToken(token);
  return {
    route({ method, url, answer }) {
      app.route({
        method,
        url,
        onRequest,
        handler: async (request, reply) => {
          const body = JSON.stringify(await answer(request));
          return replyJson(reply.header('cache-control', 'no-store'), body);
        },
      });
    },
  };
}

/** The routes below `/admin`; `docs/blob-store-admin.md` describes their parameters and responses. */
export function addAdmin(app: FastifyInstance, admin: BlobStoreAdmin, token: string): void {
  const guarded = behind(token, app);
  addEpochRoutes(guarded, admin);
  addBlobRoutes(guarded, admin);
  addObjectRoutes(guarded, admin);
  addFaultRoutes(guarded, admin);
}

type Guarded = ReturnType<typeof behind>;

function addEpochRoutes(guarded: Guarded, admin: BlobStoreAdmin): void {
  guarded.route({
    method: 'GET',
    url: '/admin/epoch',
    answer: async () => ({ epoch: await admin.currentEpoch() }),
  });
  guarded.route({
    method: 'POST',
    url: '/admin/epoch/advance',
    answer: async (request) => ({
      epoch: await admin.advanceEpoch(parseAdvance(await readFields(request))),
    }),
  });
  guarded.route({
    method: 'POST',
    url: '/admin/sweep',
    answer: async () => ({ removed: await admin.sweep() }),
  });
}

function addBlobRoutes(guarded: Guarded, admin: BlobStoreAdmin): void {
  guarded.route({
    method: 'GET',
    url: '/admin/blobs',
    answer: async ({ url }) => toPage('blobs', await admin.listBlobs(parseListQuery(url))),
  });
  guarded.route({
    method: 'GET',
    url: '/admin/blobs/:id',
    answer: async (request) => {
      const { objects, ...blob } = await admin.getBlob(blobIdOf(request));
      return { ...blob, objects: objects.map(toObject) };
    },
  });
  guarded.route({
    method: 'DELETE',
    url: '/admin/blobs/:id',
    answer: async (request) => {
      const deletion = await admin.deleteBlob(blobIdOf(request));
      if (deletion.deleted.length + deletion.kept.length === 0) throw blobNotFound();
      return deletion;
    },
  });
}

function addObjectRoutes(guarded: Guarded, admin: BlobStoreAdmin): void {
  guarded.route({
    method: 'GET',
    url: '/admin/objects',
    answer: async ({ url }) => {
      const { items, ...page } = await admin.listObjects(parseListQuery(url, ['blob_id']));
      return toPage('objects', { ...page, items: items.map(toObject) });
    },
  });
  guarded.route({
    method: 'DELETE',
    url: '/admin/objects/:id',
    answer: async (request) => {
      const objectId = objectIdOf(request);
      await admin.deleteObject(objectId);
      return { deleted: [objectId], kept: [] };
    },
  });
  guarded.route({
    method: 'POST',
    url: '/admin/objects/:id/extend',
    answer: async (request) => {
      const objectId = objectIdOf(request);
      return { endEpoch: await admin.extendObject(objectId, parseExtension(await readFields(request))) };
    },
  });
  guarded.route({
    method: 'PATCH',
    url: '/admin/objects/:id/attributes',
    answer: async (request) => {
      const objectId = objectIdOf(request);
      const changes = parseAttributes(await readFields(request));
      return { attributes: await admin.setAttributes(objectId, changes) };
    },
  });
}

function addFaultRoutes(guarded: Guarded, { faults }: BlobStoreAdmin): void {
  guarded.route({
    method: 'GET',
    url: '/admin/faults',
    answer: async () => ({ faults: faults.list() }),
  });
  guarded.route({
    method: 'POST',
    url: '/admin/faults',
    answer: async (request) => faults.add(parseFault(await readFields(request))),
  });
  guarded.route({
    method: 'DELETE',
    url: '/admin/faults',
    answer: async () => {
      faults.clear();
      return { faults: [] };
    },
  });
  guarded.route({
    method: 'DELETE',
    url: '/admin/faults/:id',
    answer: async (request) => {
      if (!faults.remove(paramOf(request))) throw faultNotFound();
      return { faults: faults.list() };
    },
  });
}
