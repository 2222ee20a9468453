import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ApiError } from '@memrelay/protocol/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { errorBody, reportError } from './error-replies.ts';

const clientGone = 'The client closed the connection.';

/** Whether the client asks for a streamed response (`accept: text/event-stream`). */
export function wantsEvents(request: FastifyRequest): boolean {
  return (
    request.headers.accept?.split(',').some((type) => type.trim().startsWith('text/event-stream')) ?? false
  );
}

/** Aborted when the client disconnects before the response is complete. */
export function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const { raw } = reply;
  const onClose = (): void => {
    if (!raw.writableFinished) gone.abort(new ApiError('request_timeout', { message: clientGone }));
  };
  if (raw.closed) onClose();
  else raw.once('close', onClose);
  return gone.signal;
}

/** Resolves when the response is complete or the client has disconnected. */
export async function closed(reply: FastifyReply): Promise<void> {
  if (!reply.raw.closed) await once(reply.raw, 'close');
}

/**
 * Answers with server-sent events. Each is created once the client has read the previous one. A failure after the first
 * event is sent as an `error` event with the usual error body.
 */
export function sendEvents(
  log: Logger,
  request: FastifyRequest,
  reply: FastifyReply,
  events: AsyncIterable<{ event: string; data: object }>,
  gone: AbortSignal,
): FastifyReply {
  async function* lines(): AsyncGenerator<string, void, undefined> {
    try {
      for await (const { event, data } of events) yield eventText(event, data);
    } catch (error) {
      if (gone.aborted) return;
      yield eventText('error', errorBody(reportError(log, error as Error, request), request.id));
    }
  }
  return (
    reply
      .type('text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      // Otherwise nginx would buffer the events
      .header('x-accel-buffering', 'no')
      .send(Readable.from(lines()))
  );
}

function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
