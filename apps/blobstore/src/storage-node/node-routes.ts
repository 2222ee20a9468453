import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unknownRoute } from '../base/api-error.ts';
import { requireBlobId, requireObjectId } from '../base/ids.ts';
import { createAdmission } from '../http/admission.ts';
import { readBody } from '../http/read-body.ts';
import { ignoreContentType } from '../http/receive-body.ts';
import { replyJson } from '../http/reply-json.ts';
import { indexOutOfRange } from './node-errors.ts';
import { maxMetadataBytes, sliverKinds } from './sliver-wire.ts';
import type { SliverName, StorageNodes } from './storage-nodes.ts';

type Params = Record<'node' | 'blobId', string> & Partial<Record<'pair' | 'kind' | 'objectId', string>>;
type Request = FastifyRequest<{ Params: Params }>;

/**
 * Maximum numbers of running and waiting requests. A client sends all slivers of a blob at once, 2000 at 1000 shards,
 * and does not retry after a 429.
 */
const limit = { concurrent: 64, buffered: 8192 };

/**
 * The part of the Walrus storage node API that `@mysten/walrus` uses, once for each node. The address of a node on
 * chain is `/nodes/<index>` of this process.
 */
export function addStorageNodes(app: FastifyInstance, nodes: StorageNodes): void {
  const admission = createAdmission('aggregator', limit);
  const base = '/nodes/:node/v1/blobs/:blobId';

  function memberOf({ node }: Params) {
    const member = /^\d{1,5}$/.test(node) ? nodes.members[Number(node)] : undefined;
    if (member === undefined) throw unknownRoute();
    return member;
  }

  function sliverOf({ params }: Request): SliverName {
    const kind = sliverKinds.find((name) => name === params.kind);
    if (kind === undefined) throw unknownRoute();
    const { pair: text = '' } = params;
    const pair = /^\d{1,5}$/.test(text) ? Number(text) : nodes.nShards;
    if (pair >= nodes.nShards) throw indexOutOfRange(nodes.nShards);
    return { member: memberOf(params), blobId: requireBlobId(params.blobId), kind, pair };
  }

  function blobIdOf({ params }: Request): string {
    memberOf(params);
    return requireBlobId(params.blobId);
  }

  function read(path: string, handler: (request: Request, reply: FastifyReply) => Promise<FastifyReply>) {
    app.route<{ Params: Params }>({
      method: ['GET', 'HEAD'],
      url: `${base}/${path}`,
      onRequest: admission,
      handler,
    });
  }

  function write(path: string, handler: (request: Request, reply: FastifyReply) => Promise<FastifyReply>) {
    app.route<{ Params: Params }>({
      method: 'PUT',
      url: `${base}/${path}`,
      onRequest: [admission, ignoreContentType],
      handler,
    });
  }

  read('metadata', async (request, reply) => replyBytes(reply, await nodes.metadata(blobIdOf(request))));
  write('metadata', async (request, reply) => {
    const blobId = blobIdOf(request);
    await nodes.storeMetadata(blobId, await readBody(request.raw, maxMetadataBytes(nodes.nShards)));
    return replySuccess(reply, 'metadata successfully stored');
  });
  read('metadata/status', async (request, reply) =>
    replySuccess(reply, await nodes.metadataStatus(blobIdOf(request))),
  );
  read('slivers/:pair/:kind', async (request, reply) =>
    replyBytes(reply, await nodes.sliver(sliverOf(request))),
  );
  write('slivers/:pair/:kind', async (request, reply) => {
    const name = sliverOf(request);
    const body = await readBody(request.raw, await nodes.sliverBytes(name));
    await nodes.storeSliver(name, body);
    return replySuccess(reply, 'sliver stored successfully');
  });
  read('slivers/:pair/:kind/status', async (request, reply) =>
    replySuccess(reply, await nodes.sliverStatus(sliverOf(request))),
  );
  read('status', async (request, reply) => replySuccess(reply, await nodes.status(blobIdOf(request))));

  for (const path of ['confirmation/permanent', 'confirmation/deletable/:objectId']) {
    app.route<{ Params: Params }>({
      method: ['GET', 'HEAD'],
      url: `${base}/${path}`,
      // Not subject to admission, because it may wait for slivers that are behind it in the queue.
      handler: async ({ params }, reply) => {
        const { objectId } = params;
        const object = objectId === undefined ? undefined : requireObjectId(objectId);
        const member = memberOf(params);
        const { message, signature } = await nodes.confirm(member, requireBlobId(params.blobId), object);
        const [serializedMessage, signed] = [message, signature].map((bytes) =>
          Buffer.from(bytes).toString('base64'),
        );
        return replySuccess(reply, { signed: { serializedMessage, signature: signed } });
      },
    });
  }
}

function replySuccess(reply: FastifyReply, data: unknown): FastifyReply {
  return replyJson(reply, JSON.stringify({ success: { code: 200, data } }));
}

function replyBytes(reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  return reply
    .header('content-type', 'application/octet-stream')
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
