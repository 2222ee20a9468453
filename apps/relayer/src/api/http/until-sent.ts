import type { FastifyReply } from 'fastify';

/** A client that takes nothing of its answer for this long is cut off, milliseconds */
const idleMs = 60_000;
/** For a whole answer: a client that takes it byte by byte must not hold its memory for ever */
const sendMs = 180_000;

/** Calls `done` once the answer is sent or the connection closed. */
export function untilSent(reply: FastifyReply, done: () => void): void {
  if (reply.raw.closed) done();
  else reply.raw.once('close', done);
}

/** From the moment an answer begins: closes the connection of a client that takes it too slowly. */
export function sendInTime(reply: FastifyReply): void {
  const { raw } = reply;
  raw.setTimeout(idleMs, () => raw.destroy());
  const timer = setTimeout(() => raw.destroy(), sendMs);
  untilSent(reply, () => clearTimeout(timer));
}
