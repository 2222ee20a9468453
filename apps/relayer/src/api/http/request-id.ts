import { randomUUID } from 'node:crypto';
import { headers, requestIdPattern } from '@memrelay/protocol/headers';

/** The request id sent by the client if it is well-formed, else a new one. */
export function requestIdOf(raw: { headers: Record<string, string | string[] | undefined> }): string {
  const sent = raw.headers[headers.requestId];
  return typeof sent === 'string' && requestIdPattern.test(sent) ? sent : randomUUID();
}
