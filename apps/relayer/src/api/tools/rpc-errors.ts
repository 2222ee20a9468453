import type { ErrorCode } from '@memrelay/protocol/errors';
import { type RpcErrorData, rpcCodes, rpcErrorBody } from '@memrelay/protocol/tool-server';

/** Error codes for refusals by the MCP transport, which have only a status. */
const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'invalid_auth_header',
  403: 'insufficient_scope',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'unsupported_media_type',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  503: 'overloaded',
};

/** Adds a code of the catalogue and the request id to the `data` of any error body of the tool server. */
export function describedError(text: string, status: number, requestId: string): string {
  const fallback = codeOfStatus[status] ?? (status < 500 ? 'invalid_request' : 'internal_error');
  const body = parsed(text);
  if (!isRecord(body?.error))
    return JSON.stringify(rpcErrorBody(rpcCodes.server, 'The request was refused.', fallback, requestId));
  const original = isRecord(body.error.data) ? (body.error.data as RpcErrorData) : {};
  const data = { ...original, code: original.code ?? original.reason ?? fallback, request_id: requestId };
  return JSON.stringify({ ...body, error: { ...body.error, data } });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
