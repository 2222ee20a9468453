import { mcpRequestHeaders, relayedHeaders } from './tool-server.ts';

/** Header names of the wire contract, lower case as Node delivers them. */
export const headers = {
  publicKey: 'x-public-key',
  signature: 'x-signature',
  timestamp: 'x-timestamp',
  nonce: 'x-nonce',
  accountId: 'x-account-id',
  encSession: 'x-enc-session',
  /** Deprecated in favour of `x-enc-session` */
  delegateKey: 'x-delegate-key',
  requestId: 'x-request-id',
  idempotencyKey: 'idempotency-key',
  /** Tool server: account and session default namespace */
  memAccountId: 'x-mem-account-id',
  memNamespace: 'x-mem-namespace',
} as const;

/**
 * Names that clients of the original system (MemWal) send, with the matching header of ours. Both names together count as
 * one header sent twice.
 */
export const headerAliases: Readonly<Record<string, string>> = {
  'x-seal-session': headers.encSession,
  'x-memwal-account-id': headers.memAccountId,
  'x-memwal-namespace': headers.memNamespace,
};

/** Header values that must never reach a log. */
export const secretHeaders: readonly string[] = [
  'authorization',
  headers.encSession,
  'x-seal-session',
  headers.delegateKey,
  relayedHeaders.token,
];

/** Headers that a browser may send (decisions.md, "Wire, general"). */
export const corsAllowedHeaders: readonly string[] = [
  'content-type',
  'authorization',
  ...Object.values(headers),
  ...Object.keys(headerAliases),
  ...mcpRequestHeaders,
];

export const corsExposedHeaders: readonly string[] = [
  headers.requestId,
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  // Lets a page show where the time of its requests goes
  'server-timing',
  'mcp-session-id',
  // How to authenticate at the tool server
  'www-authenticate',
  headers.accountId,
  'deprecation',
  // Lets a page see that its clock is wrong
  'date',
];

/** A caller's `x-request-id` is kept when it has this form. */
export const requestIdPattern = /^[A-Za-z0-9\-_.:]{1,128}$/;
