import type { IncomingMessage } from 'node:http';
import { malformedRequest, payloadTooLarge } from '../base/api-error.ts';

/** The whole body of a request. Throws 413 above `maxBytes`, and 400 if it is truncated. */
export async function readBody(raw: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes) throw payloadTooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Leaving the loop must not destroy the connection, which is needed for the 413.
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    if (raw.errored !== null) throw malformedRequest('the body ended too early');
    throw error;
  }
  if (size > maxBytes) {
    raw.resume();
    throw payloadTooLarge(maxBytes);
  }
  return Buffer.concat(chunks);
}
