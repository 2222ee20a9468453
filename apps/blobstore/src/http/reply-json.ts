import type { FastifyReply } from 'fastify';

/** Sends prepared JSON as bare `application/json`: the real daemon names no charset, Fastify would add one. */
export function replyJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json').send(Buffer.from(json));
}
