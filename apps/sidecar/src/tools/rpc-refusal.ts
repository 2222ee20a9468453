import { ApiError, type ErrorCode } from '@memrelay/protocol/errors';
import { rpcCodes, rpcErrorBody } from '@memrelay/protocol/tool-server';
import type { FastifyReply } from 'fastify';

/** The rejection of a tool request: an HTTP status and a JSON-RPC error. */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal';
  readonly status: number;
  readonly rpcCode: number;
  /** For programs */
  readonly reason: string | undefined;
  /** Seconds */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    rpcCode: number,
    message: string,
    options: { reason?: string; retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.status = status;
    this.rpcCode = rpcCode;
    this.reason = options.reason;
    this.retryAfter = options.retryAfter;
  }
}

/** No session has this id: the host must initialise a new one. */
export function sessionNotFound(): RpcRefusal {
  return new RpcRefusal(404, rpcCodes.unauthenticated, 'Session not found: initialise a new one.');
}

const frameworkErrors: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
};

/** Converts an error of a tool route to the error for the client; undefined for unexpected errors. */
export function asRpcRefusal(error: Error & { code?: string }): RpcRefusal | undefined {
  if (error instanceof RpcRefusal) return error;
  const framework = frameworkErrors[error.code ?? ''];
  const known = error instanceof ApiError ? error : framework && new ApiError(framework);
  if (!known) return undefined;
  const rpcCode = known.status === 401 ? rpcCodes.unauthenticated : rpcCodes.server;
  return new RpcRefusal(known.status, rpcCode, known.message, {
    reason: known.code,
    retryAfter: known.retryAfter,
  });
}

/** Sends the error. A 401 describes how to authenticate (RFC 6750). */
export function sendRefusal(reply: FastifyReply, refusal: RpcRefusal): FastifyReply {
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
  if (refusal.status === 401) reply.header('www-authenticate', challenge(refusal));
  // The unread rest of the body must not be parsed as the next request
  if (refusal.status === 413) reply.header('connection', 'close');
  return reply.code(refusal.status).send(rpcErrorBody(refusal.rpcCode, refusal.message, refusal.reason));
}

function challenge({ reason, message }: RpcRefusal): string {
  const realm = 'Bearer realm="memrelay"';
  // Without a credential the challenge contains no error (RFC 6750, 3.1)
  if (reason === 'missing_auth_header') return realm;
  return `${realm}, error="invalid_token", error_description="${message.replaceAll('"', "'")}"`;
}
