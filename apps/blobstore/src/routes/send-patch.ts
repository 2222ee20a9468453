import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addAttributeHeaders } from '../http/allowed-headers.ts';
import { addReadHeaders } from '../http/read-headers.ts';
import { sendStream } from '../http/send-stream.ts';
import type { IndexedPatch } from '../quilt/quilt-index.ts';
import type { OpenQuilt } from '../quilt/quilt-reader.ts';
import { readPatch } from '../quilt/read-quilt.ts';
import type { BlobStoreContext } from './context.ts';
import { checkColumnsSize, openQuilt } from './open-quilt.ts';
import { patchNotFound, throwQuiltReadFailure } from './quilt-api-errors.ts';

/**
 * Identifiers that are returned as a header: visible ASCII and spaces. Others are omitted as upstream, and so are
 * those that are too long for clients (Node accepts 16 KiB for all headers together).
 */
const headerValue = /^[ -~]{1,8192}$/;

/**
 * Sends the patch that `isWanted` selects from the index of a quilt. Throws like `openQuilt`, 404 if it selects
 * none, and 403 if the patch exceeds `--max-blob-size`.
 */
export async function sendPatch(
  context: BlobStoreContext,
  request: FastifyRequest,
  reply: FastifyReply,
  quiltId: string,
  isWanted: (patch: IndexedPatch) => boolean,
): Promise<FastifyReply> {
  const quilt = await openQuilt(context, quiltId);
  try {
    const wanted = quilt.patches.find(isWanted);
    if (wanted === undefined) throw patchNotFound();
    checkColumnsSize(context, quilt, wanted.end - wanted.start);
    const patch = await readPatch(quilt.columns, wanted.start, wanted.end);
    // As upstream, all patches have the ETag of their quilt.
    addReadHeaders(request, reply, quiltId);
    reply.header('content-length', patch.size);
    if (headerValue.test(patch.identifier)) reply.header('x-quilt-patch-identifier', patch.identifier);
    addAttributeHeaders(reply, Object.fromEntries(patch.tags), context.allowedTagHeaders);
    return sendStream(context, request, reply, closingWith(quilt, patch.content));
  } catch (error) {
    await quilt[Symbol.asyncDispose]();
    return throwQuiltReadFailure(error);
  }
}

/** The content as a stream that closes the quilt when it is closed itself, whether it was read or not. */
function closingWith(quilt: OpenQuilt, content: AsyncIterable<Buffer>): Readable {
  const stream = Readable.from(content, { objectMode: false });
  stream.once('close', () => void quilt[Symbol.asyncDispose]());
  return stream;
}
