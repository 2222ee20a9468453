import { toHex } from '@memrelay/protocol/bytes';
import { headers } from '@memrelay/protocol/headers';
import { signedMessage } from '@memrelay/protocol/signing';
import { sha256 } from '@noble/hashes/sha2.js';
import { withTimeout } from './abort.ts';
import { type Answer, answerError, answerObject, type CallContext } from './answer.ts';
import type { Clock } from './clock.ts';
import type { SessionSource } from './enc-session.ts';
import { MemRelayError, NetworkError } from './errors.ts';
import { type RetryPolicy, retryAfterMs, withRetries } from './retry.ts';
import type { Signer } from './signer.ts';
import { uuidV4 } from './uuid.ts';

/** The state that all calls of a client share. */
export interface Connection {
  /** Base URL without a trailing slash */
  serverUrl: string;
  accountId: string;
  publicKey: string;
  signer: Signer;
  clock: Clock;
  sessions: SessionSource;
  fetch: typeof fetch;
  policy: RetryPolicy;
}

export interface ApiCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path as the relayer sees it. This path is signed, even if a proxy strips a prefix of `serverUrl` */
  path: string;
  body?: unknown;
  unsigned?: boolean;
  idempotencyKey?: string | undefined;
  /** Send a session for this package; only for calls that decrypt */
  sessionPackageId?: string;
  /** Response format, if not JSON */
  accept?: string;
  signal?: AbortSignal | undefined;
  /** Differences from the client's policy */
  policy?: Partial<RetryPolicy>;
}

export interface Reply<T> {
  value: T;
  /** A successful response may also request a pause */
  retryAfterMs: number | undefined;
}

/** Errors that a wrong local clock can cause; key servers refuse sessions from the future. */
const clockCodes: readonly string[] = ['timestamp_out_of_window', 'decrypt_denied'];

/** Sends a request with retries (retry.ts) and returns the JSON of the response. Throws `MemRelayError`. */
export function callRelayer<T>(connection: Connection, call: ApiCall): Promise<Reply<T>> {
  return perform(connection, call, async (response, context) => {
    const answer = await readAnswer(response, context);
    const error = answerError(answer, context);
    if (error) throw error;
    return {
      value: answerObject(answer, context) as T,
      retryAfterMs: retryAfterMs(answer.headers.get('retry-after')),
    };
  });
}

/** A signed request that is not retried. */
export async function callOnce<T>(
  connection: Connection,
  method: ApiCall['method'],
  path: string,
  body: object | undefined,
  { signal }: { signal?: AbortSignal | undefined },
): Promise<T> {
  return (await callRelayer<T>(connection, { method, path, body, signal, policy: { maxAttempts: 1 } })).value;
}

/** Sends a request whose response is a stream of events, and returns its body. Retries only until the stream starts. */
export function openStream(
  connection: Connection,
  call: ApiCall,
): Promise<{ body: ReadableStream<Uint8Array>; requestId: string }> {
  return perform(connection, { ...call, accept: eventStream }, async (response, context) => {
    const streams = response.ok && response.headers.get('content-type')?.startsWith(eventStream);
    const answer = streams
      ? { status: response.status, headers: response.headers, text: '' }
      : await readAnswer(response, context);
    const error = answerError(answer, context);
    if (error) throw error;
    if (streams && response.body) return { body: response.body, requestId: context.requestId };
    throw new MemRelayError('invalid_response', `${context.origin} did not return a stream of events.`, {
      status: response.status,
      requestId: context.requestId,
    });
  });
}

const eventStream = 'text/event-stream';

async function perform<T>(
  connection: Connection,
  call: ApiCall,
  read: (response: Response, context: CallContext) => Promise<T>,
): Promise<T> {
  connection.signer.assertUsable();
  const body = call.body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(call.body));
  const context: CallContext = {
    requestId: uuidV4(),
    origin: connection.serverUrl,
    publicKey: connection.publicKey,
    accountId: connection.accountId,
    signed: !call.unsigned,
  };
  const attempt = async (signal: AbortSignal): Promise<T> => {
    const response = await exchange(connection, call, body, context, signal);
    try {
      return await read(response, context);
    } catch (error) {
      const isClock = error instanceof MemRelayError && clockCodes.includes(error.code);
      if (!isClock || !connection.clock.correct(response.headers.get('date'))) throw error;
    }
    connection.sessions.reset();
    return read(await exchange(connection, call, body, context, signal), context);
  };
  const timeoutError = (timeoutMs: number) =>
    new NetworkError(
      'timeout',
      `No complete response from ${context.origin} within ${Math.round(timeoutMs)} ms.`,
      {
        requestId: context.requestId,
      },
    );
  return withRetries(
    (timeoutMs) => withTimeout(attempt, timeoutMs, () => timeoutError(timeoutMs), call.signal),
    { ...connection.policy, ...call.policy },
    call.signal,
  );
}

async function readAnswer(response: Response, context: CallContext): Promise<Answer> {
  const { status, headers: received } = response;
  try {
    return { status, headers: received, text: await response.text() };
  } catch (cause) {
    throw networkError(context, cause);
  }
}

function networkError(context: CallContext, cause: unknown): NetworkError {
  return new NetworkError(
    'network_error',
    `Cannot reach ${context.origin}: ${causeOf(cause)}. Check serverUrl and that the relayer is running; in a browser also its ALLOWED_ORIGINS.`,
    { requestId: context.requestId, cause },
  );
}

const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** One attempt, with a fresh timestamp, nonce and signature. */
async function exchange(
  connection: Connection,
  call: ApiCall,
  body: Uint8Array | undefined,
  context: CallContext,
  signal: AbortSignal,
): Promise<Response> {
  const sent: Record<string, string> = { [headers.requestId]: context.requestId };
  if (body) sent['content-type'] = 'application/json';
  if (call.accept !== undefined) sent.accept = call.accept;
  if (call.idempotencyKey !== undefined) sent[headers.idempotencyKey] = call.idempotencyKey;
  if (call.sessionPackageId !== undefined)
    sent[headers.encSession] = await connection.sessions.header(call.sessionPackageId);
  if (!call.unsigned) Object.assign(sent, await authHeaders(connection, call, body));
  try {
    const response = await connection.fetch(connection.serverUrl + call.path, {
      method: call.method,
      headers: sent,
      // The cast only tells TypeScript that this is not shared memory.
      body: (body as Uint8Array<ArrayBuffer> | undefined) ?? null,
      signal,
      // A redirect would send the session and the text to a host that the caller did not choose. Not `error`: Cloudflare
      // workers reject that.
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    });
    if (response.type === 'opaqueredirect' || redirects.includes(response.status))
      throw new TypeError('it redirects to another address');
    return response;
  } catch (cause) {
    throw networkError(context, cause);
  }
}

/** The headers of the spec's "Signed requests". */
export async function authHeaders(
  connection: Pick<Connection, 'accountId' | 'publicKey' | 'signer' | 'clock'>,
  call: Pick<ApiCall, 'method' | 'path'>,
  body: Uint8Array | undefined,
  nonce: string = uuidV4(),
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(connection.clock.now() / 1000));
  const message = signedMessage({
    timestamp,
    method: call.method,
    pathAndQuery: call.path,
    bodySha256: toHex(sha256(body ?? new Uint8Array())),
    nonce,
    accountId: connection.accountId,
  });
  const signature = await connection.signer.sign(new TextEncoder().encode(message));
  return {
    [headers.publicKey]: connection.publicKey,
    [headers.signature]: toHex(signature),
    [headers.timestamp]: timestamp,
    [headers.nonce]: nonce,
    [headers.accountId]: connection.accountId,
  };
}

/** Node hides the reason (ECONNREFUSED, …) in `cause`. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return 'no connection';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
