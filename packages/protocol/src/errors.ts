import { CodedError } from './coded-error.ts';
import { maxUploadAttempts } from './limits.ts';

/**
 * The error catalogue: every code that our HTTP routes can return, with its status, the message for a person, and whether
 * sending the same request again can help. `docs/errors.md` is generated from it.
 */

export interface ErrorEntry {
  readonly status: number;
  readonly message: string;
  /** True when the same request may succeed later without a change by the caller */
  readonly retry: boolean;
}

function entry(status: number, message: string, retry = false): ErrorEntry {
  return { status, message, retry };
}

export const errorCatalogue = {
  invalid_request: entry(400, 'The request is invalid. See details.issues.'),
  sponsor_rejected: entry(
    400,
    'The sponsor rejected the transaction. See the message, rebuild the transaction and try again.',
  ),
  unsponsorable_transaction: entry(400, 'This server does not sponsor this kind of transaction.'),
  invalid_authorization: entry(400, 'The authorization request is not supported.'),
  invalid_redirect_uri: entry(
    400,
    'The redirect URI must be registered by the client, and use https, or http on a loopback address.',
  ),
  invalid_client_metadata: entry(400, 'The client registration is invalid.'),
  invalid_grant: entry(400, 'The code or refresh token is invalid, already used, or expired.'),
  invalid_target: entry(400, 'This relayer issues tokens only for its own tool server.'),
  unsupported_grant_type: entry(400, 'grant_type must be authorization_code or refresh_token.'),
  invalid_consent: entry(400, 'This access request is unknown to this relayer, or has expired.'),
  consent_too_long: entry(400, 'Access can be granted for at most 90 days.'),
  invalid_client: entry(401, 'The client is not registered with this relayer.'),
  invalid_token: entry(401, 'The access token is invalid or expired.'),
  missing_auth_header: entry(401, 'An authentication header is missing.'),
  invalid_auth_header: entry(401, 'An authentication header is malformed or repeated.'),
  timestamp_out_of_window: entry(
    401,
    'x-timestamp is more than 5 minutes away from the server clock. Check the clock of the client.',
  ),
  invalid_signature: entry(401, 'The signature does not match the request.'),
  nonce_replayed: entry(401, 'This nonce was already used. Sign every attempt with a fresh nonce.'),
  unknown_delegate_key: entry(401, 'The public key is not a delegate key of this account.'),
  ambiguous_account: entry(
    401,
    'The public key belongs to several accounts. Send x-account-id to choose one.',
  ),
  account_inactive: entry(401, 'The owner has deactivated this account.'),
  delegate_expired: entry(401, 'The delegate key has expired.'),
  foreign_origin: entry(403, 'Pages of this origin are not allowed to do this.'),
  host_not_allowed: entry(
    403,
    'This server does not accept the name in the Host header. The operator can add it to ALLOWED_HOSTS.',
  ),
  insufficient_scope: entry(403, 'The delegate key is not allowed to do this in this namespace.'),
  decrypt_credential_required: entry(
    403,
    'Reading requires a decrypt credential. Send x-enc-session, or make the server key a delegate.',
  ),
  decrypt_denied: entry(403, 'The decrypt credential was rejected.'),
  not_found: entry(404, 'There is no such route.'),
  job_not_found: entry(404, 'There is no such job for this account.'),
  webhook_not_found: entry(404, 'There is no such webhook that this key may manage.'),
  memory_not_found: entry(404, 'There is no such memory that this key may use.'),
  method_not_allowed: entry(405, 'The route does not answer this method.'),
  request_timeout: entry(408, 'The request body did not arrive in time.', true),
  consent_not_registered: entry(
    409,
    'The account does not have this key with this scope on chain yet. A new key takes a moment to become visible.',
    true,
  ),
  idempotency_key_reused: entry(409, 'This idempotency key was already used with a different request body.'),
  job_not_failed: entry(409, 'Only a job that has failed can be retried.'),
  webhook_limit_reached: entry(409, 'The account has 10 webhooks, the maximum. Remove one first.'),
  memory_not_replaceable: entry(
    409,
    'A client stored this memory in a format that cannot be replaced. Forget it, then store the new text.',
  ),
  prune_required: entry(
    409,
    'A delegate of the account has expired, and the server cannot remove it. The owner must remove it before new memories can be stored.',
  ),
  payload_too_large: entry(413, 'The request body is larger than this route accepts.'),
  unsupported_media_type: entry(415, 'Send JSON (content-type: application/json) without content encoding.'),
  expectation_failed: entry(417, 'The only supported Expect value is 100-continue.'),
  rate_limited: entry(429, 'Too many requests. Wait for the time in Retry-After.', true),
  headers_too_large: entry(431, 'The request headers are too large.'),
  internal_error: entry(500, 'An internal error occurred. Include the request id when you report it.'),
  webhooks_not_enabled: entry(
    501,
    'Webhooks are turned off on this server. The operator can enable them with MEM_WEBHOOKS=on.',
  ),
  rerank_not_available: entry(501, 'No chat model is configured on this server, so it cannot re-rank.'),
  sponsor_failed: entry(502, 'The sponsor failed. Try again later, or pay the gas yourself.'),
  llm_answer_invalid: entry(502, 'The language model returned an unusable response. Nothing was stored.'),
  llm_rejected: entry(502, 'The language model provider rejected the request.'),
  store_rejected: entry(502, 'The blob store rejected the memory. See its job for the reason.'),
  auth_unavailable: entry(503, 'The account cannot be verified at the moment. Retry later.', true),
  database_unavailable: entry(503, 'The database is unreachable. Retry later.', true),
  decrypt_unavailable: entry(503, 'The key servers are unreachable. Retry later.', true),
  embedding_unavailable: entry(503, 'The embedding provider is unreachable. Retry later.', true),
  llm_not_configured: entry(503, 'No embedding and language model provider is configured on this server.'),
  llm_unavailable: entry(503, 'The language model is unreachable. Retry later.', true),
  overloaded: entry(503, 'The server is overloaded. Retry later.', true),
  sidecar_unavailable: entry(503, 'The encryption process is unreachable. Retry later.', true),
  sponsor_unavailable: entry(
    503,
    'The sponsor accepts no more transactions at the moment. Retry later.',
    true,
  ),
  sponsor_unconfigured: entry(503, 'No sponsor is configured on this server. Pay the gas yourself.'),
  store_unavailable: entry(503, 'The blob store is unreachable. Retry later.', true),
  storage_limit_reached: entry(
    507,
    'The owner has used up the storage that this server allows. Forget memories that are no longer needed.',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Values of a memory job's `error_code`. Clients poll jobs, so these have no HTTP status. */
export const jobErrorCatalogue = {
  embedding_unavailable: 'The embedding provider did not respond. Retrying.',
  embedding_rejected: 'The embedding provider rejected the text.',
  upload_unavailable: 'The blob store or the chain did not respond. Retrying.',
  upload_rejected: 'The blob store rejected the upload.',
  store_full:
    'The blob store has no room for the memory. Make room there or raise its limit, then retry the job.',
  upload_exhausted: `All ${maxUploadAttempts} upload attempts failed.`,
  internal_error: 'An internal error occurred. Retrying.',
} as const;

export type JobErrorCode = keyof typeof jobErrorCatalogue;

/** One problem with one field; `path` is dotted, e.g. `items.3.text`. */
export interface RequestIssue {
  path: string;
  message: string;
}

/** The body of every 4xx and 5xx. */
export interface ErrorBody {
  error: ErrorCode;
  message: string;
  request_id: string;
  details?: { issues?: RequestIssue[]; [key: string]: unknown };
}

/** The first issue, as `items: must have at most 20`, because most clients show only the message. An empty path means the body. */
function firstIssue(details: ErrorBody['details']): string | undefined {
  const [issue] = details?.issues ?? [];
  return issue && `${issue.path || 'body'}: ${issue.message}`;
}

/** Thrown anywhere below a route to respond with a code of the catalogue. */
export class ApiError extends CodedError<ErrorCode> {
  override name = 'ApiError';
  readonly status: number;
  readonly details: ErrorBody['details'];
  /** Seconds for the Retry-After header */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    options: { message?: string; details?: ErrorBody['details']; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(code, options.message ?? firstIssue(options.details) ?? errorCatalogue[code].message, {
      cause: options.cause,
    });
    this.status = errorCatalogue[code].status;
    this.details = options.details;
    this.retryAfter =
      options.retryAfter ?? (this.status === 503 && errorCatalogue[code].retry ? 2 : undefined);
  }
}
