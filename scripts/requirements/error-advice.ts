/** What a caller does about each code of the error catalogue, for `docs/errors.md`. */
export const errorAdvice: Readonly<Record<string, string>> = {
  invalid_request: 'Mend the fields that `details.issues` names.',
  sponsor_rejected:
    'Read the message: the transaction would fail, expired or was not signed by its sender. Build it anew.',
  unsponsorable_transaction:
    'Pay the gas yourself, or send only account functions and the deletion or extension of own blobs.',
  invalid_authorization: 'Clients: `response_type=code` and PKCE with `S256`. The message says which.',
  invalid_redirect_uri:
    'Register the address first; https, or http on `127.0.0.1`, `[::1]` or `localhost`, where the port may differ. No fragment, no user.',
  invalid_client_metadata:
    'Send `redirect_uris` (1 to 10), and `code` among `response_types` if you name any.',
  invalid_grant:
    'Start a new sign-in. A code is good once and for 60 seconds, a refresh token once; a second use ends the grant.',
  invalid_target: 'Use the `resource` that `/.well-known/oauth-protected-resource` names.',
  unsupported_grant_type: 'Use one of the two.',
  invalid_consent: 'Start the sign-in anew from the program that asked for it.',
  consent_too_long: 'Choose an end within 90 days.',
  invalid_client: 'Register at `/oauth/register` and use the `client_id` of the answer.',
  invalid_token: 'Refresh the token, or sign in again.',
  missing_auth_header:
    'Sign the request: `x-public-key`, `x-signature`, `x-timestamp`, `x-nonce`. `details.header` names the first that is missing.',
  invalid_auth_header: 'Send the header named in `details.header` once and in the right form.',
  timestamp_out_of_window: "Set the caller's clock; sign at the time of sending.",
  invalid_signature:
    'Sign the method, path, query and body bytes exactly as they are sent. Look for a proxy that rewrites them.',
  nonce_replayed: 'Sign again with a fresh nonce. If you did not repeat the request, find out who did.',
  unknown_delegate_key:
    'Check the account id and whether the key was revoked. A key that was just added is found within seconds.',
  ambiguous_account: 'Send `x-account-id`.',
  account_inactive: 'The owner can reactivate the account on chain.',
  delegate_expired: 'Ask the owner for a new key, or for a later end.',
  foreign_origin:
    'Operators: `PUBLIC_DASHBOARD_URL` must be the address under which people open the dashboard; other pages that call `/sponsor` belong into `ALLOWED_ORIGINS`.',
  host_not_allowed:
    'Call the server by a name it is known by: on a loopback listener `localhost`, `127.0.0.1` or `[::1]`. Operators: list other names, such as the one that your proxy passes on, in `ALLOWED_HOSTS`.',
  insufficient_scope: 'Use a key with the right and the namespace, or ask the owner to widen this one.',
  decrypt_credential_required: 'Send `x-enc-session`; the SDK does.',
  decrypt_denied:
    'Make a new session for the key that signs the request. Check that it may read this namespace.',
  not_found: 'Check the path.',
  job_not_found:
    'Check the id; a job is visible only to its own account, and a done one for a week (`MEM_JOB_KEEP_DAYS`).',
  method_not_allowed: 'Use a method that the `Allow` header lists.',
  request_timeout: 'Send the body faster, or in smaller requests.',
  consent_not_registered: 'Let the wallet register the key as it was consented to, and repeat.',
  idempotency_key_reused: 'Use a new key for another body.',
  job_not_failed:
    'Nothing: `details.status` tells that it is running again, as after a retry whose answer was lost, or done.',
  prune_required:
    'As the owner, run `npx memrelay delegate prune`. Operators: give the relayer a sponsor or a wallet with SUI, and it does that by itself.',
  payload_too_large: 'Send less at once: at most 2 MiB in a request, 1 MiB of text in a memory.',
  unsupported_media_type: 'Send `content-type: application/json` and no `content-encoding`.',
  expectation_failed: 'Send no `Expect` header, or `Expect: 100-continue`.',
  headers_too_large: 'Send less in headers: 16 KiB at most, all of them together.',
  rate_limited:
    'Wait, then send less often. Operators: behind a proxy set `TRUSTED_PROXY_HOPS`, or all clients share the [limits of one address](configuration.md#limits-of-an-address).',
  internal_error: "Report it with the request id. The server's log has the cause.",
  sponsor_failed:
    "Pay the gas yourself, or repeat later. Operators: check `SPONSOR_API_KEY` and the sponsor's own status.",
  llm_answer_invalid:
    'Send the text again, or in smaller parts. Operators: `LLM_CHAT_MODEL` must support structured output (`json_schema`).',
  llm_rejected:
    'Send another text. Operators: the log has the status; look whether the provider knows `LLM_CHAT_MODEL` and structured output.',
  store_rejected:
    'Poll the job named in `details.job_id`: its `error` says why. Retry that job when it is mended.',
  auth_unavailable:
    'Wait as `Retry-After` says and repeat. Operators: `/ready` says whether the chain or the nonce store is missing; after a [change of the nonce store](configuration.md#changing-the-nonce-store) it lasts seconds, at most 310.',
  database_unavailable: 'Wait and repeat. Operators: Postgres is away, or out of connections.',
  decrypt_unavailable: 'Wait and repeat. Operators: fewer key servers answer than the threshold needs.',
  embedding_unavailable: 'Wait and repeat. Operators: check the provider and `LLM_API_KEY`.',
  llm_not_configured:
    'Operators: set `LLM_API_KEY`, or `MEM_ALLOW_MOCK_LLM=true`. The manual routes work without.',
  llm_unavailable:
    'Wait and repeat: nothing was stored. Operators: check the provider, its limits and `LLM_API_KEY`.',
  overloaded:
    'Wait as long as `Retry-After` says, and send less at once. Operators: see [background work](configuration.md#background-work) and [work in progress](configuration.md#work-in-progress).',
  sidecar_unavailable: 'Wait and repeat. Operators: the relayer ends and is started again when this lasts.',
  sponsor_unavailable: 'Wait and repeat, or pay the gas yourself.',
  sponsor_unconfigured: 'Pay the gas yourself. Operators: set `SPONSOR_API_KEY`.',
  store_unavailable:
    'Wait and repeat. After a manual write the work goes on: `details.job_id` names the job to poll.',
};

/** The same for the codes in `error.code` of a memory job. */
export const jobErrorAdvice: Readonly<Record<string, string>> = {
  embedding_unavailable: 'Nothing: it is tried again until it works.',
  embedding_rejected: 'Store another text. Where the provider was wrong: mend it and retry the job.',
  upload_unavailable: 'Nothing: it is tried again, five times in all.',
  upload_rejected: 'Operators: check the publisher, its limits and its token. Then retry the job.',
  store_full:
    'Operators: make room in the blob store, or raise its limit (`BLOBSTORE_MAX_STORE_BYTES`). Five attempts are made; then retry the job.',
  upload_exhausted: 'Operators: check the publisher. Then retry the job.',
  internal_error: 'Nothing: it is tried again.',
};
