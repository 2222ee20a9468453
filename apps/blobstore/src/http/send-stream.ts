import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HeldBytes } from '../aggregator/read-buffers.ts';

/**
 * Sends a body whose headers are set; a HEAD gets only the headers. An error of the stream after its first bytes
 * closes the connection. So does a client that reads nothing for `limits.stalledSendMs`, because it would occupy its
 * place among the readers, and an open file, forever.
 */
export function sendStream(
  { limits }: { limits: { stalledSendMs: number } },
  request: FastifyRequest,
  reply: FastifyReply,
  content: Readable,
): FastifyReply {
  if (request.method === 'HEAD') {
    content.destroy();
    return reply.send();
  }
  content.once('error', (error) => {
    request.log.error({ err: error }, 'response cut off: reading the content failed');
  });
  cutOffWhenStalled(reply, limits.stalledSendMs);
  return reply.send(content);
}

/**
 * The same for a body in memory. Bypasses Fastify, which would add a content type. `release` is called once the body
 * has been sent; the memory of an aborted body is left to the garbage collector.
 */
export function sendBytes(
  { limits }: { limits: { stalledSendMs: number } },
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, release }: HeldBytes,
): FastifyReply {
  if (request.method === 'HEAD') {
    release();
    return reply.send();
  }
  cutOffWhenStalled(reply, limits.stalledSendMs);
  reply.hijack();
  reply.raw.once('finish', release);
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders).end(bytes);
  return reply;
}

function cutOffWhenStalled({ raw }: FastifyReply, stalledSendMs: number): void {
  raw.setTimeout(stalledSendMs, () => {
    // With nothing buffered to send, the response waits for the storage, not for the client.
    if (raw.writableLength > 0) raw.destroy();
  });
  // Must run before Node's own listener, which sets the connection's keep-alive timeout.
  raw.prependOnceListener('finish', () => raw.setTimeout(0));
}
