import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ConsistencyCheck, openBlob } from '../aggregator/open-blob.ts';
import { ApiError, blobUnavailable, internalError } from '../base/api-error.ts';
import { addAttributeHeaders } from '../http/allowed-headers.ts';
import { addReadHeaders } from '../http/read-headers.ts';
import { sendBytes, sendStream } from '../http/send-stream.ts';
import type { BlobAttributes } from '../registry/blob-registry.ts';
import { BlobDamagedError, type ByteRange, type StoredBlob } from '../storage/storage.ts';
import type { BlobStoreContext } from './context.ts';

export interface BlobAnswer {
  /** The part to send, if not the whole blob */
  range?: ByteRange | undefined;
  /** Whether a range is answered with 206 and `Content-Range` */
  isPartial?: boolean;
  check: ConsistencyCheck;
  /** The blob id if absent */
  etag?: string;
  /** In addition to those of every read */
  headers?: Record<string, string>;
  attributes?: BlobAttributes;
}

/** Sends a stored blob. Throws 500 if the bytes are damaged and 503 if they cannot be read. */
export async function sendBlob(
  context: BlobStoreContext,
  request: FastifyRequest,
  reply: FastifyReply,
  blob: StoredBlob,
  { range, isPartial = false, check, etag = blob.blobId, headers = {}, attributes = {} }: BlobAnswer,
): Promise<FastifyReply> {
  const content = await openBlob(context, blob, range, check).catch(throwReadFailure);
  addReadHeaders(request, reply, etag);
  reply.headers(headers);
  reply.header('content-length', range === undefined ? blob.size : range.end - range.start + 1);
  if (isPartial && range !== undefined) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${blob.size}`);
  }
  addAttributeHeaders(reply, attributes, context.allowedHeaders);
  if ('bytes' in content) return sendBytes(context, request, reply, content);
  return sendStream(context, request, reply, content);
}

/** The response for a read that failed before the response started. */
export function throwReadFailure(error: unknown): never {
  if (error instanceof ApiError) throw error;
  throw error instanceof BlobDamagedError ? internalError(error) : blobUnavailable(error);
}
