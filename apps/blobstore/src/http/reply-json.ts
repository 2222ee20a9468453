import type { FastifyReply } from 'fastify';

/**
 * Sends serialized JSON as `application/json`, without the charset that Fastify would add, like the real daemon.
 */
export function replyJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json').send(Buffer.from(json));
}
