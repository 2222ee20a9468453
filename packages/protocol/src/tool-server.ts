/** Definitions of the tool server's HTTP routes, shared by relayer and sidecar (spec, "Tool-server transport routes"). */

export const toolPaths = {
  /** Streamable HTTP, with or without sessions */
  mcp: '/api/mcp',
  /** Legacy SSE: the stream, and the route for its messages */
  sse: '/api/mcp/sse',
  messages: '/api/mcp/messages',
} as const;

/** Maximum body. A text of 1 MiB may be several times as long after JSON escaping. */
export const toolBodyBytes = 4 * 1024 * 1024;

/** Data about a tool request from the relayer to the sidecar: trusted only together with the token. */
export const relayedHeaders = {
  token: 'x-sidecar-token',
  /** An IPv4 address, or the /64 of an IPv6 one */
  clientAddress: 'x-sidecar-client-address',
} as const;

/** Headers of MCP that clients send. */
export const mcpRequestHeaders = [
  'mcp-session-id',
  'mcp-protocol-version',
  'last-event-id',
  // In the sessionless revision, headers repeat the method and name of a request
  'mcp-method',
  'mcp-name',
] as const;

/** JSON-RPC error codes of the tool routes, in addition to those of the protocol. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  forbidden: -32603,
  /** Also for an unknown session */
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
  /** The same value as `code`, which earlier releases did not send */
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
