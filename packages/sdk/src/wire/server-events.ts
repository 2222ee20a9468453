import { NetworkError } from './errors.ts';

export interface ServerEvent {
  event: string;
  data: string;
}

/**
 * The events of a streamed answer (`text/event-stream`). Rejects with `signal.reason`, or with `network_error` when the
 * connection breaks; a caller that stops reading ends the request.
 */
export async function* serverEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop, { once: true });
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw new NetworkError('network_error', 'The connection was lost in the middle of a response.', {
          cause,
        });
      });
      signal?.throwIfAborted();
      if (done) return;
      const events = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = events.pop()!;
      for (const text of events) {
        const event = parseEvent(text);
        if (event) yield event;
      }
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

function parseEvent(text: string): ServerEvent | undefined {
  const fieldOf = (name: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const [event, data] = [fieldOf('event'), fieldOf('data')];
  return event === undefined || data === undefined ? undefined : { event, data };
}
