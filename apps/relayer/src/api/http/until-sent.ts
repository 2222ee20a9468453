import type { FastifyReply } from 'fastify';

/** A client that reads nothing of the response for this long is disconnected, in ms */
const idleMs = 60_000;
/** Limit for reading the whole response, in ms: a client that reads byte by byte must not hold its memory forever */
const sendMs = 180_000;

/** Calls `done` once the response is sent or the connection is closed. */
export function untilSent(reply: FastifyReply, done: () => void): void {
  if (reply.raw.closed) done();
  else reply.raw.once('close', done);
}

/** Closes the connection of a client that reads the response too slowly. Call it when the response begins. */
export function sendInTime(reply: FastifyReply): void {
  const { raw } = reply;
  raw.setTimeout(idleMs, () => raw.destroy());
  const timer = setTimeout(() => raw.destroy(), sendMs);
  untilSent(reply, () => clearTimeout(timer));
}
