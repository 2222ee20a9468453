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
 * Visible ASCII and spaces. Another identifier cannot be a header, and is left out as upstream does; so is one that
 * is longer than the headers that clients take (16 KiB in Node, for all together).
 */
const headerValue = /^[ -~]{1,8192}$/;

/**
 * Answers with the patch of a quilt that `isWanted` picks from its index. Throws like `openQuilt`, 404 when it picks
 * none, and 403 for one above `--max-blob-size`.
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
    // Of the quilt, for all its patches, as upstream.
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

/** The content as a stream that gives the quilt back with its own end, whether it was read or not. */
function closingWith(quilt: OpenQuilt, content: AsyncIterable<Buffer>): Readable {
  const stream = Readable.from(content, { objectMode: false });
  stream.once('close', () => void quilt[Symbol.asyncDispose]());
  return stream;
}
