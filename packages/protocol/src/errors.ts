/**
 * The error catalogue: every code that one of our HTTP routes can answer, with its status, the words for a
 * person, and whether sending the same request again can help. `docs/errors.md` is generated from it.
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
  invalid_request: entry(400, 'The request is not valid; see details.issues.'),
  sponsor_rejected: entry(
    400,
    'The sponsor refused the transaction; see the message, build it anew and try again.',
  ),
  unsponsorable_transaction: entry(400, 'This transaction is not one that is sponsored.'),
  invalid_authorization: entry(400, 'The client asked for access in a way that is not supported.'),
  invalid_redirect_uri: entry(
    400,
    'A redirect address must be https, or http on this very machine, and one that the client registered.',
  ),
  invalid_client_metadata: entry(400, 'The registration of this client is not valid.'),
  invalid_grant: entry(400, 'The code or refresh token is not valid, was used before, or has ended.'),
  invalid_target: entry(400, 'Tokens are given out only for the tool server of this relayer.'),
  unsupported_grant_type: entry(400, 'grant_type must be authorization_code or refresh_token.'),
  invalid_consent: entry(400, 'This request for access is not one of this relayer, or its time is over.'),
  consent_too_long: entry(400, 'Access is granted for at most 90 days.'),
  invalid_client: entry(401, 'The client is not registered here.'),
  invalid_token: entry(401, 'The access token is not valid, or has ended.'),
  missing_auth_header: entry(401, 'An authentication header is missing.'),
  invalid_auth_header: entry(401, 'An authentication header is malformed or repeated.'),
  timestamp_out_of_window: entry(
    401,
    'x-timestamp is more than 5 minutes away from the server clock; check the clock of the caller.',
  ),
  invalid_signature: entry(401, 'The signature does not match the request.'),
  nonce_replayed: entry(401, 'This nonce was used before; sign every attempt with a fresh nonce.'),
  unknown_delegate_key: entry(401, 'The public key is not a delegate key of this account.'),
  ambiguous_account: entry(
    401,
    'The public key belongs to several accounts; send x-account-id to name the one that is meant.',
  ),
  account_inactive: entry(401, 'The account is deactivated by its owner.'),
  delegate_expired: entry(401, 'The delegate key has expired.'),
  foreign_origin: entry(403, 'Pages of this origin may not do this.'),
  host_not_allowed: entry(
    403,
    'This server does not answer to the name in the Host header; the operator can add it to ALLOWED_HOSTS.',
  ),
  insufficient_scope: entry(403, 'The delegate key is not allowed to do this in this namespace.'),
  decrypt_credential_required: entry(
    403,
    'Reading needs a decrypt credential: send x-enc-session, or make the server key a delegate.',
  ),
  decrypt_denied: entry(403, 'The decrypt credential was refused.'),
  not_found: entry(404, 'There is no such route.'),
  job_not_found: entry(404, 'There is no such job for this account.'),
  method_not_allowed: entry(405, 'The route does not answer this method.'),
  request_timeout: entry(408, 'The request body did not arrive in time.', true),
  consent_not_registered: entry(
    409,
    'The account on chain does not have this key with this scope; it may take a moment to be seen.',
    true,
  ),
  idempotency_key_reused: entry(409, 'This idempotency key was used with another request body.'),
  job_not_failed: entry(409, 'Only a job that has failed can be retried.'),
  prune_required: entry(
    409,
    'A delegate of the account has expired and the server cannot take it out: the owner has to, before anything new is stored.',
  ),
  payload_too_large: entry(413, 'The request body is larger than this route accepts.'),
  unsupported_media_type: entry(415, 'Send JSON (content-type: application/json) without content encoding.'),
  expectation_failed: entry(417, 'The only expectation that can be met is 100-continue.'),
  rate_limited: entry(429, 'Too many requests; wait as long as Retry-After says.', true),
  headers_too_large: entry(431, 'The request headers are too large.'),
  internal_error: entry(500, 'Something failed on the server; quote the request id when you report it.'),
  sponsor_failed: entry(502, 'The sponsor failed; try again later, or pay the gas yourself.'),
  llm_answer_invalid: entry(502, 'The language model answered nothing that can be used; nothing was stored.'),
  llm_rejected: entry(502, 'The provider of the language model does not take this request.'),
  store_rejected: entry(502, 'The blob store did not take the memory; its job tells why.'),
  auth_unavailable: entry(503, 'The account cannot be checked at the moment.', true),
  database_unavailable: entry(503, 'The database cannot be reached at the moment.', true),
  decrypt_unavailable: entry(503, 'The key servers cannot be reached at the moment.', true),
  embedding_unavailable: entry(503, 'The embedding provider cannot be reached at the moment.', true),
  llm_not_configured: entry(
    503,
    'No provider of embeddings and language models is configured on this server.',
  ),
  llm_unavailable: entry(503, 'The language model cannot be reached at the moment.', true),
  overloaded: entry(503, 'The server has more work than it can take at the moment.', true),
  sidecar_unavailable: entry(503, 'The encryption process cannot be reached at the moment.', true),
  sponsor_unavailable: entry(503, 'The sponsor takes no more transactions at the moment.', true),
  sponsor_unconfigured: entry(503, 'No sponsor is configured on this server; pay the gas yourself.'),
  store_unavailable: entry(503, 'The blob store cannot be reached at the moment.', true),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Values of a memory job's `error_code`. Clients poll jobs, so these have no HTTP status. */
export const jobErrorCatalogue = {
  embedding_unavailable: 'The embedding provider did not answer; the attempt is repeated.',
  embedding_rejected: 'The embedding provider refused the text.',
  upload_unavailable: 'The blob store or the chain did not answer; the attempt is repeated.',
  upload_rejected: 'The blob store refused the upload.',
  store_full: 'The blob store has no room for the memory.',
  upload_exhausted: 'All upload attempts failed.',
  internal_error: 'Something failed on the server; the attempt is repeated.',
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

/** `items: must have at most 20`: most clients show nothing but the message. An issue without a path is the body's. */
function firstIssue(details: ErrorBody['details']): string | undefined {
  const [issue] = details?.issues ?? [];
  return issue && `${issue.path || 'body'}: ${issue.message}`;
}

/** Thrown anywhere below a route to answer with a code of the catalogue. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorBody['details'];
  /** Seconds for the Retry-After header */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    options: { message?: string; details?: ErrorBody['details']; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(options.message ?? firstIssue(options.details) ?? errorCatalogue[code].message, {
      cause: options.cause,
    });
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.details = options.details;
    this.retryAfter =
      options.retryAfter ?? (this.status === 503 && errorCatalogue[code].retry ? 2 : undefined);
  }
}
