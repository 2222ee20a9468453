import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { findReadable } from '../aggregator/find-readable.ts';
import { malformedRequest } from '../base/api-error.ts';
import { requireBlobId } from '../base/ids.ts';
import { invalidRangeParameters } from '../base/read-errors.ts';
import { queryOf, refuseUnknown } from '../http/query.ts';
import type { BlobStoreContext } from './context.ts';
import { sendBlob } from './send-blob.ts';

const maxU64 = 2n ** 64n - 1n;

function u64Of(query: URLSearchParams, name: string): bigint {
  const text = query.get(name) ?? '';
  // At most 20 digits, not counting leading zeros.
  const digits = /^\+?0*(\d{1,20})$/.exec(text)?.[1];
  if (digits === undefined || BigInt(digits) > maxU64) {
    throw malformedRequest(`${name} is required and must be a whole number below 2^64`);
  }
  return BigInt(digits);
}

/** Parses the query. Throws 400 for the first violated rule that does not depend on the blob. */
function parseQuery(url: string): { start: bigint; length: bigint } {
  const query = queryOf(url);
  refuseUnknown(query, ['start', 'length']);
  const start = u64Of(query, 'start');
  const length = u64Of(query, 'length');
  if (length === 0n) throw invalidRangeParameters('length must be greater than 0');
  if (start + length > maxU64) throw invalidRangeParameters('start + length must be below 2^64');
  return { start, length };
}

/**
 * `GET /v1/blobs/{blob_id}/byte-range?start&length`: a part of a blob as a complete response, 200 with its own tag,
 * so that caches without support for ranges keep it.
 */
export function addGetByteRange(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  app.route<{ Params: { blobId: string } }>({
    method: ['GET', 'HEAD'],
    url: '/v1/blobs/:blobId/byte-range',
    onRequest: admission,
    handler: async (request, reply) => {
      const blobId = requireBlobId(request.params.blobId);
      const { start, length } = parseQuery(request.url);
      const blob = await findReadable(context, blobId);
      if (start + length > BigInt(blob.size)) {
        throw invalidRangeParameters(`the range ends beyond the ${blob.size} bytes of the blob`);
      }
      const range = { start: Number(start), end: Number(start + length) - 1 };
      const etag = `${blobId}-${start}-${length}`;
      return sendBlob(context, request, reply, blob, { range, check: 'default', etag });
    },
  });
}
