import type { FastifyReply, FastifyRequest } from 'fastify';

/** Anyone may have stored the blob, so scripts in it must not run in the origin of the store. */
export const untrustedContent = { 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' };

/** Blobs never change under their id, so caches may keep them. */
const blobCacheControl = 'public, max-age=86400, stale-while-revalidate=3600';

/**
 * The content type of a read, which only the client knows. An `Accept` without any `*` is echoed, otherwise on a GET
 * the request's own content type; otherwise there is none. The first of repeated headers counts.
 */
function mirroredContentType({ method, raw }: FastifyRequest): string | undefined {
  const { accept, 'content-type': contentType } = raw.headersDistinct;
  if (accept?.[0] !== undefined && !accept[0].includes('*')) return accept[0];
  return method === 'GET' ? contentType?.[0] : undefined;
}

/** The headers of every aggregator read. The tag is bare text, without the quotes that HTTP requires. */
export function addReadHeaders(request: FastifyRequest, reply: FastifyReply, etag: string): void {
  reply.headers({ ...untrustedContent, 'cache-control': blobCacheControl, etag });
  const contentType = mirroredContentType(request);
  if (contentType !== undefined) reply.header('content-type', contentType);
}
