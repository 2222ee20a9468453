import { createHash, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MemRelay } from '../src/mem-relay.ts';
import type { MemRelayOptions } from '../src/wire/types.ts';

/**
 * A real HTTP server with scripted responses, for network faults that a relayer does not produce on demand. How a relayer
 * handles a request is tested against the real one, not here.
 */

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: Record<string, unknown>;
  /** `performance.now()` at its end */
  at: number;
}

export type ScriptedAnswer =
  /** Closes the socket after the request was read */
  | 'drop'
  /** Never responds */
  | 'silence'
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string };

export interface WireDouble {
  url: string;
  seen: SeenRequest[];
  /** Resolves when the server has seen that many requests */
  requests(count: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Responds with what `script` returns for the request; the entries of an array are used in turn, the last one
 * forever.
 */
export async function startWire(
  script: ((request: SeenRequest, number: number) => ScriptedAnswer) | ScriptedAnswer[],
): Promise<WireDouble> {
  const seen: SeenRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const request: SeenRequest = {
      method: incoming.method!,
      path: incoming.url!,
      headers: incoming.headers,
      body,
      json: body.length > 0 ? JSON.parse(body.toString()) : {},
      at: performance.now(),
    };
    seen.push(request);
    const number = seen.length;
    for (const waiter of waiting) if (waiter.count <= number) waiter.resolve();
    const answer =
      typeof script === 'function' ? script(request, number) : script[Math.min(number, script.length) - 1]!;
    reply(response, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    requests: (count) =>
      seen.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function reply(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer === 'silence') return;
  if (answer === 'drop') {
    response.destroy();
    return;
  }
  const { status = 200, headers = {}, json, text } = answer;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text ?? JSON.stringify(json ?? {}));
}

/** An error body of the relayer. */
export function errorAnswer(
  status: number,
  error: string,
  headers: Record<string, string> = {},
): ScriptedAnswer {
  return { status, headers, json: { error, message: `about ${error}`, request_id: 'r1' } };
}

export const testKey = '11'.repeat(32);
export const accountId = `0x${'ac'.repeat(32)}`;
export const packageId = `0x${'9a'.repeat(32)}`;

export function testClient(serverUrl: string, options: Partial<MemRelayOptions> = {}): MemRelay {
  return MemRelay.create({ key: testKey, accountId, packageId, serverUrl, ...options });
}

/** Checks a request as a relayer does, with node:crypto. */
export function signatureIsValid({ method, path, headers, body }: SeenRequest, publicKey: string): boolean {
  const message = [
    headers['x-timestamp'],
    method,
    path,
    createHash('sha256').update(body).digest('hex'),
    headers['x-nonce'],
    headers['x-account-id'],
  ].join('.');
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(message), key, Buffer.from(String(headers['x-signature']), 'hex'));
}

/** Resolves to the reason of the promise's rejection. */
export async function rejection(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('expected a rejection');
}
