import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SpanOptions } from './spans.ts';
import type { Tracing } from './tracing.ts';

/**
 * Runs `work`, and all that it starts, in the span of a request, which ends with its response. The span continues the trace
 * of a client that sends `traceparent`.
 */
export function enterRequestSpan(
  tracing: Tracing,
  { request, response, route }: { request: IncomingMessage; response: ServerResponse; route: string },
  attributes: NonNullable<SpanOptions['attributes']>,
  work: () => void,
): void {
  const { traceparent } = request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  const end = tracing.enter(`${request.method} ${route}`, { kind: 'server', parent, attributes }, work);
  response.once('close', () =>
    end?.({
      failed: response.statusCode >= 500,
      attributes: { 'http.response.status_code': response.statusCode },
    }),
  );
}
