/** What relayer and sidecar agree on about the tool server's HTTP routes (spec, "Tool-server transport routes"). */

export const toolPaths = {
  /** Streamable HTTP, with sessions and without */
  mcp: '/api/mcp',
  /** Legacy SSE: the stream, and where its messages go */
  sse: '/api/mcp/sse',
  messages: '/api/mcp/messages',
} as const;

/** A text of 1 MiB may be twice as long when its client escapes it. */
export const toolBodyBytes = 4 * 1024 * 1024;

/** Data about a tool request from the relayer to the sidecar: trusted only together with the token. */
export const relayedHeaders = {
  token: 'x-sidecar-token',
  /** An IPv4 address, or the /64 of an IPv6 one */
  clientAddress: 'x-sidecar-client-address',
} as const;

/** Headers of the protocol itself that clients send. */
export const mcpRequestHeaders = [
  'mcp-session-id',
  'mcp-protocol-version',
  'last-event-id',
  // The sessionless revision repeats what a request is about
  'mcp-method',
  'mcp-name',
] as const;

/** JSON-RPC error codes of the tool routes, in addition to those of the protocol. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  forbidden: -32603,
  /** Also: the session is not known */
  unauthenticated: -32001,
  server: -32000,
} as const;

export interface RpcErrorBody {
  jsonrpc: '2.0';
  error: { code: number; message: string; data?: RpcErrorData };
  id: null;
}

export interface RpcErrorData {
  /** A code of the error catalogue, for programs */
  code?: string;
  /** The same; earlier releases had no `code` */
  reason?: string;
  /** Also in `x-request-id` */
  request_id?: string;
}

/** The body of a refusal. */
export function rpcErrorBody(
  code: number,
  message: string,
  reason?: string,
  requestId?: string,
): RpcErrorBody {
  const data = {
    ...(reason === undefined ? {} : { code: reason, reason }),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
  return {
    jsonrpc: '2.0',
    error: { code, message, ...(Object.keys(data).length > 0 ? { data } : {}) },
    id: null,
  };
}
