import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from './refusal.ts';

/** security.md, "Sign-in" */
const maxBodyBytes = 8_192;
const maxBadTries = 5;

export interface CallbackOptions {
  /** The origin of the page: no other may post to `/callback` */
  origin: string;
  /** What a page is told that asks whether somebody listens */
  hello: object;
  /** Takes a code and returns what the one who brought it is told. Throws `Refusal` */
  take: (code: string) => Promise<object>;
  /** Called when the answer to a code that was taken has gone out, or its bearer is gone */
  onTaken: () => void;
  /** Called with the reason for each bad try */
  onBadTry: (reason: string) => void;
  /** Called once, after the fifth bad try was answered */
  onTooManyTries: () => void;
}

export interface Callback {
  port: number;
  close(): void;
}

/**
 * Listens on 127.0.0.1, on a port of the system's choice. `GET /callback` tells the page that somebody is there, `POST
 * /callback` takes a code from the page, `POST /code` from another process of this machine: browsers name an origin in
 * every post, so one without comes from no page.
 *
 * A bad try is a code that was offered and refused. Everything that is refused before (a foreign origin, another host, no
 * code) is answered without reading more than 8 KiB and does not count: any web page can send it, and must not be able to
 * end a sign-in. On `/code`, where any process of the machine may post, a code for another sign-in does not count either.
 */
export async function startCallback(options: CallbackOptions): Promise<Callback> {
  let badTries = 0;
  // Node looks every 30 s for connections that are too slow: so long others could keep the page out.
  const server = createServer({
    requestTimeout: 10_000,
    headersTimeout: 5_000,
    connectionsCheckingInterval: 500,
  });
  server.maxConnections = 32;
  const port = await listening(server);
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    if (request.headers.host !== `127.0.0.1:${port}`)
      throw new Refusal(403, 'wrong_host', 'This address answers to its own name alone.');
    const page = request.url === '/callback';
    if (!page && request.url !== '/code') throw new Refusal(404, 'not_found', 'There is nothing here.');
    checkOrigin(request, page ? options.origin : undefined);
    if (page && request.method === 'OPTIONS') return preflight(request);
    if (page && request.method === 'GET') return { status: 200, body: options.hello };
    if (request.method !== 'POST')
      throw new Refusal(405, 'method_not_allowed', 'Only POST is answered here.');
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
      throw new Refusal(415, 'not_json', 'The answer must be JSON.');
    const code = codeIn(await bodyOf(request));
    try {
      return { status: 200, body: await options.take(code) };
    } catch (error) {
      throw isBadTry(error, page) ? new BadTry(error) : error;
    }
  };
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const allowed = request.headers.origin === options.origin ? options.origin : undefined;
    // From the start: whoever asks may be gone before there is an answer
    const answered = new Promise<void>((resolve) => response.once('close', resolve));
    try {
      const answer = await answerTo(request);
      if (request.method === 'POST') answered.then(options.onTaken);
      send(response, allowed, answer);
    } catch (error) {
      const refusal =
        error instanceof Refusal
          ? error
          : new Refusal(500, 'failed', 'The tool could not finish the sign-in.');
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

/** The refusal of a code that counts against the sign-in. */
class BadTry extends Refusal {
  constructor({ status, error, message }: Refusal) {
    super(status, error, message);
  }
}

/** What does not say that the code was made for this very sign-in. */
const ofAnother: ReadonlySet<string> = new Set(['no_code', 'wrong_state']);

function isBadTry(error: unknown, page: boolean): error is Refusal {
  // An unreachable relayer or chain is not the fault of the caller
  if (!(error instanceof Refusal) || error.status >= 500) return false;
  return page || !ofAnother.has(error.error);
}

interface Answer {
  status: number;
  body?: object;
  headers?: Record<string, string>;
}

function checkOrigin({ headers }: IncomingMessage, origin: string | undefined): void {
  if (headers.origin === origin && (origin !== undefined || headers['sec-fetch-site'] === undefined)) return;
  throw new Refusal(403, 'wrong_origin', 'Only the sign-in page that the tool opened may answer it.');
}

/** A page on a public address asks first, also whether it may reach into this machine (Private Network Access). */
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
      throw new Refusal(413, 'too_large', `The answer must not be longer than ${maxBodyBytes} bytes.`);
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
  throw new Refusal(400, 'no_code', 'The answer must be {"code": "…"}.');
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
