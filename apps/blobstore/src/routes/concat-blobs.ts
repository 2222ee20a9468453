import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { begun, type ConsistencyCheck, openBlob, type ReadParts } from '../aggregator/open-blob.ts';
import { resolveIds } from '../aggregator/resolve-ids.ts';
import { notJson } from '../base/read-errors.ts';
import { addAttributeHeaders } from '../http/allowed-headers.ts';
import { readBody } from '../http/read-body.ts';
import { addReadHeaders } from '../http/read-headers.ts';
import { sendStream } from '../http/send-stream.ts';
import type { StoredBlob } from '../storage/storage.ts';
import { type ConcatRequest, parseConcatBody, parseConcatQuery } from './concat-request.ts';
import type { BlobStoreContext } from './context.ts';
import { throwReadFailure } from './send-blob.ts';

/** Maximum size of a JSON body, as in the real aggregator's framework. */
const maxBodyBytes = 2 * 1024 * 1024;

/** Content types that the real framework treats as JSON. */
const jsonType = /^application\/([^\s;]+\+)?json\s*(;|$)/i;

/** Runs before the body is read, because Fastify would reply 400 to an invalid content type. */
const requireJson: onRequestAsyncHookHandler = async ({ raw }) => {
  if (!jsonType.test(raw.headers['content-type'] ?? '')) throw notJson();
};

/**
 * `GET` and `POST /v1alpha/blobs/concat`: several blobs, by blob id or object id, as one body in chunks. Whether
 * all of them can be read is checked before the first byte. If reading one fails later, the connection is closed.
 */
export function addConcatBlobs(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  async function answer(request: FastifyRequest, reply: FastifyReply, { ids, check }: ConcatRequest) {
    const { blobs, attributes } = await resolveIds(context, ids);
    const content = await openConcatenation(context, blobs, check).catch(throwReadFailure);
    addReadHeaders(request, reply, createHash('sha256').update(ids.join(',')).digest('base64url'));
    addAttributeHeaders(reply, attributes, context.allowedHeaders);
    return sendStream(context, request, reply, content);
  }

  const url = '/v1alpha/blobs/concat';
  app.route({
    method: ['GET', 'HEAD'],
    url,
    onRequest: admission,
    handler: (request, reply) => answer(request, reply, parseConcatQuery(request.url)),
  });
  app.route({
    method: 'POST',
    url,
    onRequest: [admission, requireJson],
    handler: async (request, reply) =>
      answer(request, reply, parseConcatBody(await readBody(request.raw, maxBodyBytes))),
  });
}

/**
 * The content of several blobs, one after another. Each blob is opened when the previous one has been sent. Throws
 * like `openBlob` for the first one, and fails the stream if a later one cannot be read.
 */
function openConcatenation(
  parts: ReadParts,
  blobs: readonly StoredBlob[],
  check: ConsistencyCheck,
): Promise<Readable> {
  async function* contents(): AsyncGenerator<Buffer> {
    for (const blob of blobs) {
      const content = await openBlob(parts, blob, undefined, check);
      // Not released, because the stream keeps a reference to the bytes.
      if ('bytes' in content) yield content.bytes;
      else yield* content as AsyncIterable<Buffer>;
    }
  }
  return begun(Readable.from(contents(), { objectMode: false }));
}
