import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const acceptable = /^[A-Za-z0-9\-_.:]{1,128}$/;

/** The caller's `x-request-id` when it is harmless in a log line, else a new UUID. */
export function requestIdOf(request: IncomingMessage): string {
  const requestId = request.headers['x-request-id'];
  return typeof requestId === 'string' && acceptable.test(requestId) ? requestId : randomUUID();
}
