import { hash } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import { headers } from '@memrelay/protocol/headers';
import { nonceTtlSeconds, signedMessage } from '@memrelay/protocol/signing';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import type { Caller } from '../../accounts/caller.ts';
import { bodyLimitOf, requireScope, signedRouteOf } from '../http/route.ts';
import { type NonceStore, nonceKey } from '../nonces/nonce-store.ts';
import { type AddressLimitOptions, type Admission, createAddressLimit } from './address-limit.ts';
import { type AuthHeaders, checkTimestamp, readAuthHeaders } from './auth-headers.ts';
import { addressBlock, clientAddress } from './client-address.ts';
import { verifyStrict } from './ed25519.ts';
import { createCallerLookup } from './find-caller.ts';
import { checkContentLength, parseJsonBody, readBody } from './request-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who signed the request. Throws on a route without authentication. */
    readonly caller: Caller;
    /** The body as it was sent and signed; empty when there was none */
    readonly rawBody: Buffer;
  }
}

export interface AuthOptions extends Pick<AddressLimitOptions, 'failuresPerMinute' | 'known'> {
  accounts: AccountDirectory;
  nonces: NonceStore;
  /** MEM_ACCOUNT_ID */
  fallbackAccountId: string | undefined;
  /** TRUSTED_PROXY_HOPS */
  trustedProxyHops: number;
  log: Logger;
  /** Throws if a request would be refused later anyway. The key is not verified yet: 64 hex digits in lower case. */
  refuseEarly?: (publicKey: string, request: FastifyRequest) => void;
  /** Counts an authenticated request against the limits of its key. Throws `rate_limited`. */
  limitKey?: (caller: Caller, request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;
  /** Deadline for receiving the whole body; default 30,000 ms */
  bodyDeadlineMs?: number;
  /** Unix time in ms */
  now?: () => number;
}

/** State that the hooks of one request share. */
interface Progress {
  auth: AuthHeaders;
  address: string;
  admission: Admission;
  rawBody: Buffer;
  caller?: Caller;
}

const empty = Buffer.alloc(0);

/**
 * Requires a signature on every route of this Fastify scope. The checks run in the order given in security.md,
 * "Requests and sessions": `onRequest` runs those that need no body, the content-type parser reads the body,
 * `preValidation` runs the rest. Throws `ApiError` for refused requests.
 */
export function registerAuth(app: FastifyInstance, options: AuthOptions): void {
  const { nonces, trustedProxyHops, log, refuseEarly, limitKey, now = Date.now } = options;
  const { failuresPerMinute, known, bodyDeadlineMs = 30_000 } = options;
  const addresses = createAddressLimit({ failuresPerMinute, known });
  const findCaller = createCallerLookup({ ...options, now });
  const progress = new WeakMap<FastifyRequest, Progress>();

  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      const caller = progress.get(this)?.caller;
      if (!caller) throw new Error('the request was not authenticated');
      return caller;
    },
  });
  app.decorateRequest('rawBody', {
    getter(this: FastifyRequest) {
      return progress.get(this)?.rawBody ?? empty;
    },
  });

  app.addHook('onRequest', async (request, reply) => {
    try {
      const auth = readAuthHeaders(request.raw);
      checkTimestamp(auth.timestamp, now());
      const address = clientAddress(request.raw, trustedProxyHops);
      const publicKey = auth.publicKey.toLowerCase();
      refuseEarly?.(publicKey, request);
      const admission = addresses.take(addressBlock(address), publicKey);
      progress.set(request, { auth, address, admission, rawBody: empty });
      checkContentLength(request.raw, bodyLimitOf(request));
    } catch (error) {
      closeAfterUnreadBody(request, reply);
      throw error;
    }
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const current = progress.get(request)!;
    current.rawBody = await readBody(request.raw, {
      bytes: bodyLimitOf(request),
      deadlineMs: bodyDeadlineMs,
      onBytes: current.admission.receive,
    });
    return current.rawBody;
  });
  app.addContentTypeParser('*', (_request, _payload, done) => done(new ApiError('unsupported_media_type')));

  async function authenticate(auth: AuthHeaders): Promise<Caller> {
    const caller = await findCaller(auth);
    await recordNonce(nonces, auth);
    return caller;
  }

  app.addHook('preValidation', async (request, reply) => {
    const { auth, admission, rawBody } = progress.get(request)!;
    verifySignature(auth, { method: request.raw.method!, url: request.raw.url!, body: rawBody });
    const caller = await authenticate(auth).catch((error: unknown) => {
      // A failure of the relayer must not use up the caller's budget
      if (!(error instanceof ApiError) || error.status >= 500) admission.giveBack();
      throw error;
    });
    admission.succeed();
    reply.header(headers.accountId, caller.account.accountId);
    await limitKey?.(caller, request, reply);
    requireScope(caller, signedRouteOf(request));
    progress.get(request)!.caller = caller;
    request.body = parseJsonBody(rawBody);
  });

  app.addHook('onError', async (request, _reply, error) => {
    const { auth, address } = progress.get(request) ?? {};
    const { code } = error;
    log.debug({ request_id: request.id, code, address, public_key: auth?.publicKey }, 'request refused');
  });
}

/**
 * When a request is refused before its body was read, Node reads and discards the body to keep the connection usable.
 * Allow that only for a body whose announced length is within the limit; otherwise close the connection.
 */
function closeAfterUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
  const length = Number(request.raw.headers['content-length'] ?? 0);
  const isChunked = request.raw.headers['transfer-encoding'] !== undefined;
  if (isChunked || length > bodyLimitOf(request)) reply.header('connection', 'close');
}

/**
 * Records the nonce of a request whose signer is known. Throws `nonce_replayed`; `auth_unavailable` when the store does
 * not respond or the request may have been accepted with an earlier store; and `timestamp_out_of_window` when the
 * request is in the window only because this relayer's clock is wrong.
 */
async function recordNonce(nonces: NonceStore, auth: AuthHeaders): Promise<void> {
  const key = nonceKey(auth.publicKey, auth.nonce);
  const state = await nonces.remember(key, Number(auth.timestamp), nonceTtlSeconds);
  if (state === 'seen') throw new ApiError('nonce_replayed');
}

/**
 * Throws `invalid_signature` unless the signature covers this method, the path and query as sent, and these body bytes.
 */
function verifySignature(auth: AuthHeaders, request: { method: string; url: string; body: Buffer }): void {
  const message = signedMessage({
    timestamp: auth.timestamp,
    method: request.method,
    pathAndQuery: request.url,
    bodySha256: hash('sha256', request.body),
    nonce: auth.nonce,
    accountId: auth.accountId ?? '',
  });
  // Clients sign the bytes they send; Node decodes URL and headers as latin1
  if (!verifyStrict(auth.publicKey, auth.signature, Buffer.from(message, 'latin1')))
    throw new ApiError('invalid_signature');
}
