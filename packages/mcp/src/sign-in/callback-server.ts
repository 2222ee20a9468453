import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from './refusal.ts';

/** Limits from security.md, "Sign-in" */
const maxBodyBytes = 8_192;
const maxBadTries = 5;

export interface CallbackOptions {
  /** The origin of the page; no other origin may post to `/callback` */
  origin: string;
  /** Response to a page that checks whether the tool is listening */
  hello: object;
  /** Processes a code and returns the response to its sender. Throws `Refusal` */
  accept: (code: string) => Promise<object>;
  /** Called after the response to an accepted code was sent, or its sender disconnected */
  onAccepted: () => void;
  /** Called with the reason for each failed attempt */
  onBadTry: (reason: string) => void;
  /** Called once, after the fifth failed attempt was answered */
  onTooManyTries: () => void;
}

export interface Callback {
  port: number;
  close(): void;
}

/**
 * Listens on 127.0.0.1, on a port chosen by the system. `GET /callback` confirms to the page that the tool is listening,
 * `POST /callback` takes a code from the page, and `POST /code` takes one from another process on this machine. Browsers
 * send an origin with every POST, so a request without one does not come from a page.
 *
 * Only a code that was submitted and rejected counts as a failed attempt. Requests that are rejected earlier (foreign
 * origin, wrong host, no code) are answered without reading more than 8 KiB and do not count: any web page can send them,
 * and must not be able to end a sign-in. On `/code`, which any process on the machine may call, a code for another sign-in
 * does not count either.
 */
export async function startCallback(options: CallbackOptions): Promise<Callback> {
  let badTries = 0;
  // By default Node checks for slow connections only every 30 s; until then they could block the page's connection.
  const server = createServer({
    requestTimeout: 10_000,
    headersTimeout: 5_000,
    connectionsCheckingInterval: 500,
  });
  server.maxConnections = 32;
  const port = await listening(server);
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    if (request.headers.host !== `127.0.0.1:${port}`)
      throw new Refusal(403, 'wrong_host', 'This address accepts only requests to its own host name.');
    const page = request.url === '/callback';
    if (!page && request.url !== '/code') throw new Refusal(404, 'not_found', 'Not found.');
    checkOrigin(request, page ? options.origin : undefined);
    if (page && request.method === 'OPTIONS') return preflight(request);
    if (page && request.method === 'GET') return { status: 200, body: options.hello };
    if (request.method !== 'POST') throw new Refusal(405, 'method_not_allowed', 'Only POST is allowed here.');
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
      throw new Refusal(415, 'not_json', 'The body must be JSON.');
    const code = codeIn(await bodyOf(request));
    try {
      return { status: 200, body: await options.accept(code) };
    } catch (error) {
      throw isBadTry(error, page) ? new BadTry(error) : error;
    }
  };
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const allowed = request.headers.origin === options.origin ? options.origin : undefined;
    // Registered first: the client may disconnect before the response
    const answered = new Promise<void>((resolve) => response.once('close', resolve));
    try {
      const answer = await answerTo(request);
      if (request.method === 'POST') answered.then(options.onAccepted);
      send(response, allowed, answer);
    } catch (error) {
      const refusal =
        error instanceof Refusal
          ? error
          : new Refusal(500, 'failed', 'The tool could not complete the sign-in.');
      const { status, error: code, message } = refusal;
      if (error instanceof BadTry) {
        options.onBadTry(message);
        if (++badTries === maxBadTries) answered.then(options.onTooManyTries);
      }
      send(response, allowed, { status, body: { error: code, message } });
    }
  });
  return {
    port,
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** A rejected code that counts as a failed attempt. */
class BadTry extends Refusal {
  constructor({ status, error, message }: Refusal) {
    super(status, error, message);
  }
}

/** Errors that do not prove that the code was meant for this sign-in. */
const notForThisSignIn: ReadonlySet<string> = new Set(['no_code', 'wrong_state']);

function isBadTry(error: unknown, page: boolean): error is Refusal {
  // An unreachable relayer or chain is not the caller's fault
  if (!(error instanceof Refusal) || error.status >= 500) return false;
  return page || !notForThisSignIn.has(error.error);
}

interface Answer {
  status: number;
  body?: object;
  headers?: Record<string, string>;
}

function checkOrigin({ headers }: IncomingMessage, origin: string | undefined): void {
  if (headers.origin === origin && (origin !== undefined || headers['sec-fetch-site'] === undefined)) return;
  throw new Refusal(
    403,
    'wrong_origin',
    'Only the sign-in page that the tool opened may send it a response.',
  );
}

/** Answers the preflight of a page on a public address, including Private Network Access to this machine. */
function preflight({ headers }: IncomingMessage): Answer {
  const intoPrivate = headers['access-control-request-private-network'] === 'true';
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type',
      ...(intoPrivate ? { 'access-control-allow-private-network': 'true' } : {}),
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const tooLarge = (bytes: number): void => {
    if (bytes > maxBodyBytes)
      throw new Refusal(413, 'too_large', `The body must not be larger than ${maxBodyBytes} bytes.`);
  };
  tooLarge(Number(request.headers['content-length'] ?? 0));
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    tooLarge(length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function codeIn(body: string): string {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    if (typeof code === 'string') return code;
  } catch {}
  throw new Refusal(400, 'no_code', 'The body must be {"code": "…"}.');
}

function send(response: ServerResponse, origin: string | undefined, { status, body, headers }: Answer): void {
  response.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
    vary: 'origin',
    ...(origin ? { 'access-control-allow-origin': origin } : {}),
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...headers,
  });
  response.end(body && JSON.stringify(body));
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
