import type { IncomingMessage } from 'node:http';
import type { onRequestAsyncHookHandler } from 'fastify';
import { malformedRequest, payloadTooLarge } from '../base/api-error.ts';
import { BodyTooLargeError, type StagedBlob, type Storage } from '../storage/storage.ts';

/** The body is bytes whatever it is called; Fastify would refuse a content type that it cannot parse. */
export const ignoreContentType: onRequestAsyncHookHandler = async ({ raw }) => {
  delete raw.headers['content-type'];
};

/** Stages the body of a request. Throws 413 above `limitBytes`, and 400 when it breaks off. */
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
    // The rest is read and thrown away: a client that still sends would hold up its next request behind it.
    raw.resume();
    throw error instanceof BodyTooLargeError ? payloadTooLarge(limitBytes) : error;
  }
}
