import type { DescribedOperation } from './described-operation.ts';

const rpc =
  'As the Model Context Protocol defines it, with a bearer token. Errors are JSON-RPC errors; their `data.code` is a code of the error catalogue.';
const rpcAnswer = {
  'application/json': 'A JSON-RPC 2.0 response',
  'text/event-stream': 'JSON-RPC 2.0 messages',
};

function resourceMetadata(suffix: string): DescribedOperation {
  return {
    id: `protectedResource${suffix}`,
    tag: 'Sign-in',
    summary: 'Where to sign in for the tool server (RFC 9728)',
    otherAnswers: { 200: { 'application/json': 'Metadata of RFC 9728' } },
  };
}

/** The routes about the server and the caller, and those that need no signature. */
export const openOperations: Record<string, DescribedOperation> = {
  'GET /api/account': {
    id: 'account',
    tag: 'Server',
    summary: 'Who the caller is, and what the key may do',
    answers: { 200: 'AccountInfo' },
  },
  'GET /health': {
    id: 'health',
    tag: 'Server',
    summary: 'Version and mode',
    answers: { 200: 'HealthInfo' },
  },
  'GET /version': {
    id: 'version',
    tag: 'Server',
    summary: 'Versions, features and deprecations',
    answers: { 200: 'VersionInfo' },
  },
  'GET /config': {
    id: 'config',
    tag: 'Server',
    summary: 'What a client needs to create its session and to read blobs',
    answers: { 200: 'PublicConfig' },
  },
  'GET /live': {
    id: 'live',
    tag: 'Server',
    summary: 'Whether the process runs',
    answers: { 200: 'LiveInfo' },
  },
  'GET /ready': {
    id: 'ready',
    tag: 'Server',
    summary: 'Whether the server can do its work',
    answers: { 200: 'ReadyInfo', 503: 'ReadyInfo' },
  },
  'GET /openapi.json': {
    id: 'openapi',
    tag: 'Server',
    summary: 'This document',
    otherAnswers: { 200: { 'application/json': 'OpenAPI 3.1' } },
  },
  'GET /reference': {
    id: 'reference',
    tag: 'Server',
    summary: 'This document as a page',
    otherAnswers: { 200: { 'text/html': 'A page that works without a network' } },
  },
  'GET /reference/script.js': {
    id: 'referenceScript',
    tag: 'Server',
    summary: 'The script of that page',
    otherAnswers: { 200: { 'text/javascript': 'The renderer' } },
  },
  'POST /sponsor': {
    id: 'sponsor',
    tag: 'Sponsor',
    summary: 'Sponsor a transaction',
    body: 'sponsor/sponsorRequest',
    answers: { 200: 'SponsorResponse' },
    errors: [
      'unsponsorable_transaction',
      'sponsor_rejected',
      'sponsor_failed',
      'sponsor_unavailable',
      'sponsor_unconfigured',
      'sidecar_unavailable',
      'foreign_origin',
    ],
  },
  'POST /sponsor/execute': {
    id: 'executeSponsored',
    tag: 'Sponsor',
    summary: 'Execute a sponsored transaction that the sender has signed',
    body: 'sponsor/sponsorExecuteRequest',
    answers: { 200: 'SponsorExecuteResponse' },
    errors: [
      'sponsor_rejected',
      'sponsor_failed',
      'sponsor_unavailable',
      'sponsor_unconfigured',
      'sidecar_unavailable',
      'foreign_origin',
    ],
  },
  'POST /api/mcp': {
    id: 'tools',
    tag: 'Tools',
    summary: 'One message of a tool session (Streamable HTTP)',
    description: rpc,
    otherBody: { 'application/json': 'A JSON-RPC 2.0 message' },
    otherAnswers: { 200: rpcAnswer, 202: {} },
    ownErrors: true,
  },
  'GET /api/mcp': {
    id: 'toolEvents',
    tag: 'Tools',
    summary: 'Messages of the server in a tool session',
    description: rpc,
    otherAnswers: { 200: { 'text/event-stream': 'JSON-RPC 2.0 messages' } },
    ownErrors: true,
  },
  'DELETE /api/mcp': {
    id: 'endTools',
    tag: 'Tools',
    summary: 'End a tool session',
    description: rpc,
    otherAnswers: { 200: {}, 204: {} },
    ownErrors: true,
  },
  'GET /api/mcp/sse': {
    id: 'toolStream',
    tag: 'Tools',
    summary: 'A tool session over the older SSE transport',
    description: rpc,
    otherAnswers: { 200: { 'text/event-stream': 'JSON-RPC 2.0 messages' } },
    ownErrors: true,
  },
  'POST /api/mcp/messages': {
    id: 'toolMessage',
    tag: 'Tools',
    summary: 'One message of such a session',
    description: rpc,
    otherBody: { 'application/json': 'A JSON-RPC 2.0 message' },
    otherAnswers: { 202: {} },
    ownErrors: true,
  },
  'GET /.well-known/oauth-protected-resource': resourceMetadata(''),
  'GET /.well-known/oauth-protected-resource/api/mcp': resourceMetadata('Tools'),
  'GET /.well-known/oauth-protected-resource/api/mcp/sse': resourceMetadata('Sse'),
  'GET /.well-known/oauth-authorization-server': {
    id: 'authorizationServer',
    tag: 'Sign-in',
    summary: 'Where to register, authorize and get tokens (RFC 8414)',
    otherAnswers: { 200: { 'application/json': 'Metadata of RFC 8414' } },
  },
  'POST /oauth/register': {
    id: 'registerClient',
    tag: 'Sign-in',
    summary: 'Register a client (RFC 7591)',
    otherBody: { 'application/json': 'Client metadata of RFC 7591' },
    otherAnswers: { 201: { 'application/json': 'The registered client' } },
    errors: ['invalid_client_metadata', 'invalid_redirect_uri'],
  },
  'GET /oauth/authorize': {
    id: 'authorize',
    tag: 'Sign-in',
    summary: 'Send the browser of a person to the consent page',
    otherAnswers: { 303: {}, 400: { 'text/html': 'A page that says what is wrong with the link' } },
    ownErrors: true,
  },
  'POST /oauth/token': {
    id: 'token',
    tag: 'Sign-in',
    summary: 'Exchange a code or a refresh token',
    otherBody: { 'application/x-www-form-urlencoded': 'Parameters of OAuth 2.1' },
    otherAnswers: { 200: { 'application/json': 'The tokens' } },
    errors: [
      'invalid_grant',
      'invalid_client',
      'invalid_target',
      'unsupported_grant_type',
      'database_unavailable',
    ],
  },
  'POST /oauth/revoke': {
    id: 'revokeToken',
    tag: 'Sign-in',
    summary: 'Revoke a token (RFC 7009)',
    otherBody: { 'application/x-www-form-urlencoded': 'Parameters of RFC 7009' },
    otherAnswers: { 200: { 'application/json': 'An empty object' } },
    errors: ['invalid_client', 'database_unavailable'],
  },
};

/** Routes that only the dashboard's consent page may call; they may change with it. */
export const undocumented: readonly string[] = [
  'POST /oauth/consent',
  'POST /oauth/consent/key',
  'POST /oauth/consent/finish',
  'POST /oauth/consent/decline',
];
