import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Shorter responses are sent in one piece, with `content-length` */
const wholeBytes = 256 * 1024;

/**
 * A route's response for an object with one long list, about `bytes` in size. A large one is sent in pieces of about 64
 * KiB, each created once the client has read the previous one. So other requests are served in between, and the whole
 * text is never in memory at once.
 */
export function inPieces<T extends object>(
  reply: FastifyReply,
  answer: T,
  list: keyof T & string,
  bytes: number,
): T | FastifyReply {
  if (bytes <= wholeBytes) return answer;
  return reply
    .type('application/json; charset=utf-8')
    .send(Readable.from(jsonPieces(answer, list), { highWaterMark: 1 }));
}

const pieceLength = 64 * 1024;

/** The JSON text of `answer`, in which `list` comes first. */
export function* jsonPieces<T extends object>(answer: T, list: keyof T & string): Generator<string> {
  const { [list]: elements, ...rest } = answer;
  let piece = `{${JSON.stringify(list)}:[`;
  let separator = '';
  for (const element of elements as readonly unknown[]) {
    piece += separator + JSON.stringify(element);
    separator = ',';
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  const others = JSON.stringify(rest);
  yield `${piece}]${others === '{}' ? '' : ','}${others.slice(1)}`;
}
