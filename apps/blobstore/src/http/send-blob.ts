import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ConsistencyCheck, openBlob } from '../aggregator/open-blob.ts';
import type { BlobStoreContext } from '../blob-store-context.ts';
import { BlobDamagedError, type StoredBlob } from '../storage/storage.ts';
import { type ApiError, blobUnavailable, internalError } from './api-error.ts';
import { parseRange } from './byte-range.ts';

/** Blobs never change under their id, so caches may keep them. */
export const blobCacheControl = 'public, max-age=86400, stale-while-revalidate=3600';

/**
 * The content type of a read: what the client alone can know. An `Accept` without any `*` is echoed, else on a
 * GET the request's own content type, else there is none.
 */
function mirroredContentType({ method, headers }: FastifyRequest): string | undefined {
  if (headers.accept !== undefined && !headers.accept.includes('*')) return headers.accept;
  return method === 'GET' ? headers['content-type'] : undefined;
}

/**
 * Answers with a stored blob, whole (200) or the part that the `Range` header names (206). Throws 416 for a
 * range outside the blob, 500 when the bytes on disk are damaged, 503 when they cannot be read.
 */
export async function sendBlob(
  context: BlobStoreContext,
  request: FastifyRequest,
  reply: FastifyReply,
  blob: StoredBlob,
  check: ConsistencyCheck,
): Promise<FastifyReply> {
  const range = parseRange(request.headers.range, blob.size);
  const content = await openBlob(context, blob, range, check).catch((error: unknown) => {
    throw readFailure(error);
  });
  const length = range === undefined ? blob.size : range.end - range.start + 1;
  reply.headers({
    'x-content-type-options': 'nosniff',
    'cache-control': blobCacheControl,
    etag: blob.blobId,
    'content-length': length,
  });
  const contentType = mirroredContentType(request);
  if (contentType !== undefined) reply.header('content-type', contentType);
  if (range !== undefined) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${blob.size}`);
  }
  if (request.method !== 'HEAD') return reply.send(content);
  content.destroy();
  return reply.send();
}

function readFailure(error: unknown): ApiError {
  return error instanceof BlobDamagedError ? internalError(error) : blobUnavailable(error);
}
