import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Sends a body whose headers are set; a HEAD gets the headers alone. What the stream fails with after its first
 * bytes cuts the connection, and so does a client that takes nothing for `limits.stalledSendMs`: it would keep
 * its place among the readers, and a file open, for ever.
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
    request.log.error({ err: error }, 'a read was cut off, because the content failed on the way');
  });
  const { raw } = reply;
  raw.setTimeout(limits.stalledSendMs, () => {
    // Without anything to send it is not the client that is waited for.
    if (raw.writableLength > 0) raw.destroy();
  });
  // Before Node's own listener, which sets the connection's timeout for the time between two requests.
  raw.prependOnceListener('finish', () => raw.setTimeout(0));
  return reply.send(content);
}
