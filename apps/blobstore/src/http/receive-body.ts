import type { IncomingMessage } from 'node:http';
import type { onRequestAsyncHookHandler } from 'fastify';
import { malformedRequest, payloadTooLarge } from '../base/api-error.ts';
import { BodyTooLargeError, type StagedBlob, type Storage } from '../storage/storage.ts';

/** Bodies are stored as bytes. Without this, Fastify would reject content types that it cannot parse. */
export const ignoreContentType: onRequestAsyncHookHandler = async ({ raw }) => {
  delete raw.headers['content-type'];
};

/** Stages the body of a request. Throws 413 above `limitBytes`, and 400 if it is truncated. */
export async function receiveBody(
  storage: Storage,
  raw: IncomingMessage,
  limitBytes: number,
): Promise<StagedBlob> {
  if (Number(raw.headers['content-length'] ?? 0) > limitBytes) throw payloadTooLarge(limitBytes);
  try {
    // Leaving the loop early must not destroy the connection, which is needed for the rejection.
    return await storage.stage(raw.iterator({ destroyOnReturn: false }), limitBytes);
  } catch (error) {
    if (raw.errored !== null) throw malformedRequest('the body ended too early');
    // Discards the rest of the body. Otherwise the client could not send its next request on this connection.
    raw.resume();
    throw error instanceof BodyTooLargeError ? payloadTooLarge(limitBytes) : error;
  }
}
