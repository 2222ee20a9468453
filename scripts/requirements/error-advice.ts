/** What a caller should do about each code of the error catalogue, for `docs/errors.md`. */
export const errorAdvice: Readonly<Record<string, string>> = {
  invalid_request: 'Fix the fields listed in `details.issues`.',
  sponsor_rejected:
    'Read the message: the transaction would fail, expired or was not signed by its sender. Build a new one.',
  unsponsorable_transaction:
    'Pay the gas yourself, or send only account functions and the deletion or extension of your own blobs.',
  invalid_authorization:
    'Clients: use `response_type=code` and PKCE with `S256`. The message says what is missing.',
  invalid_redirect_uri:
    'Register the address first. It must be https, or http on `127.0.0.1`, `[::1]` or `localhost`, where the port may differ, without a fragment or user.',
  invalid_client_metadata:
    'Send `redirect_uris` (1 to 10), and `code` among `response_types` if you name any.',
  invalid_grant:
    'Start a new sign-in. A code is valid once and for 60 seconds, a refresh token once; a second use ends the grant.',
  invalid_target: 'Use the `resource` that `/.well-known/oauth-protected-resource` names.',
  unsupported_grant_type: 'Use `authorization_code` or `refresh_token`.',
  invalid_consent: 'Start the sign-in again from the program that asked for it.',
  consent_too_long: 'Choose an expiry within 90 days.',
  invalid_client: 'Register at `/oauth/register` and use the `client_id` of the response.',
  invalid_token: 'Refresh the token, or sign in again.',
  missing_auth_header:
    'Sign the request: `x-public-key`, `x-signature`, `x-timestamp`, `x-nonce`. `details.header` names the first missing one.',
  invalid_auth_header: 'Send the header named in `details.header` exactly once and in the right form.',
  timestamp_out_of_window:
    "Correct the caller's clock; sign each request when it is sent. If it is right, the relayer's clock is wrong, and its log says so.",
  invalid_signature:
    'Sign the method, path, query and body bytes exactly as they are sent. Check whether a proxy rewrites them.',
  nonce_replayed: 'Sign again with a new nonce. If you did not repeat the request, find out who did.',
  unknown_delegate_key:
    'Check the account id and whether the key was revoked. A key that was just added works within seconds.',
  ambiguous_account: 'Send `x-account-id`.',
  account_inactive: 'The owner can reactivate the account on chain (`npx memrelay account reactivate`).',
  delegate_expired: 'Ask the owner for a new key or a later expiry.',
  foreign_origin:
    'Operators: `PUBLIC_DASHBOARD_URL` must be the address at which people open the dashboard. List other pages that call `/sponsor` in `ALLOWED_ORIGINS`.',
  host_not_allowed:
    'Call the server by an accepted name: on a loopback listener `localhost`, `127.0.0.1` or `[::1]`. Operators: list other names, such as the one that your proxy forwards, in `ALLOWED_HOSTS`.',
  insufficient_scope:
    'Use a key that has the right and the namespace, or ask the owner to widen the scope of this one.',
  decrypt_credential_required: 'Send `x-enc-session`. The SDK does this automatically.',
  decrypt_denied:
    'Create a new session for the key that signs the request. Check that it may read this namespace.',
  not_found: 'Check the path.',
  job_not_found:
    'Check the id. A job is visible only to its own account, and a done job for 7 days (`MEM_JOB_KEEP_DAYS`).',
  webhook_not_found:
    'Use an id from the list of [webhooks](webhooks.md). A key manages only those that it registered, unless it has every permission.',
  memory_not_found:
    'Check the id, and the namespace if you sent one. Forgotten memories, those of other accounts and of namespaces that the key may not use all get this answer.',
  method_not_allowed: 'Use a method listed in the `Allow` header.',
  request_timeout: 'Send the body faster, or in smaller requests.',
  consent_not_registered: 'Let the wallet register the key with the consented scope, then retry.',
  idempotency_key_reused: 'Use a new key for a different body.',
  webhook_limit_reached: 'Remove a [webhook](webhooks.md) that is no longer needed.',
  job_not_failed:
    'Nothing: `details.status` shows that the job is done, or running again, for example after a retry whose response was lost.',
  webhooks_not_enabled: 'Poll jobs instead. Operators: set `MEM_WEBHOOKS=on` ([webhooks](webhooks.md)).',
  rerank_not_available:
    'Recall without `rerank`. Operators: configure a chat model (`LLM_API_KEY` or `LLM_API_BASE`).',
  memory_not_replaceable:
    'Forget the memory and store the new text. Only bytes that a client encrypted in its own format (`opaque`) get this answer.',
  prune_required:
    'As the owner, run `npx memrelay delegate prune`. Operators: give the relayer a sponsor or a wallet with SUI; it then does this automatically.',
  payload_too_large: 'Send less at once: at most 2 MiB per request and 1 MiB of text per memory.',
  unsupported_media_type: 'Send `content-type: application/json` and no `content-encoding`.',
  expectation_failed: 'Send no `Expect` header, or `Expect: 100-continue`.',
  headers_too_large: 'Send smaller headers: at most 16 KiB in total.',
  rate_limited:
    'Wait, then send requests less often: `details.limit` names the [limit](limits.md) of the key or owner. Operators: behind a proxy set `TRUSTED_PROXY_HOPS`; otherwise all clients share the [limits of one address](configuration.md#limits-of-an-address).',
  internal_error: "Report it with the request id. The server's log has the cause.",
  sponsor_failed:
    "Pay the gas yourself, or retry later. Operators: check `SPONSOR_API_KEY` and the sponsor's own status.",
  llm_answer_invalid:
    'Send the text again, or in smaller parts. Operators: `LLM_CHAT_MODEL` must support structured output (`json_schema`).',
  llm_rejected:
    'Send another text. Operators: the log has the status. Check whether the provider supports `LLM_CHAT_MODEL` and structured output.',
  store_rejected:
    'Poll the job named in `details.job_id`: its `error` says why. Retry that job after fixing the cause.',
  auth_unavailable:
    'Wait as `Retry-After` says and retry. Operators: `/ready` shows whether the chain or the nonce store is unavailable; after a [change of the nonce store](configuration.md#changing-the-nonce-store) it lasts a few seconds, at most 310.',
  database_unavailable: 'Wait and retry. Operators: Postgres is unreachable or out of connections.',
  decrypt_unavailable: 'Wait and retry. Operators: fewer key servers respond than the threshold requires.',
  embedding_unavailable: 'Wait and retry. Operators: check the provider and `LLM_API_KEY`.',
  llm_not_configured:
    'Operators: set `LLM_API_KEY`, or `MEM_ALLOW_MOCK_LLM=true`. The manual routes work without them.',
  llm_unavailable:
    'Wait and retry: nothing was stored. Operators: check the provider, its limits and `LLM_API_KEY`.',
  overloaded:
    'Wait as long as `Retry-After` says, and send less at once. Operators: see [background work](configuration.md#background-work) and [work in progress](configuration.md#work-in-progress).',
  sidecar_unavailable:
    'Wait and retry. Operators: if this lasts, the relayer exits so that its platform restarts it.',
  sponsor_unavailable: 'Wait and retry, or pay the gas yourself.',
  sponsor_unconfigured: 'Pay the gas yourself. Operators: set `SPONSOR_API_KEY`.',
  storage_limit_reached:
    'Forget memories that are no longer needed, then store the new ones. `details` has the limit and the stored bytes. Operators: raise [`RATE_LIMIT_STORAGE_BYTES`](limits.md#stored-bytes).',
  store_unavailable:
    'Wait and retry. After a manual write the upload continues: poll the job in `details.job_id`.',
};

/** The same for the codes in `error.code` of a memory job. */
export const jobErrorAdvice: Readonly<Record<string, string>> = {
  embedding_unavailable: 'Nothing: it is retried until it succeeds.',
  embedding_rejected: 'Store a different text. If the provider was at fault, fix it and retry the job.',
  upload_unavailable: 'Nothing: it is retried, up to five attempts in total.',
  upload_rejected: 'Operators: check the publisher, its limits and its token. Then retry the job.',
  store_full:
    'Operators: make room in the blob store, or raise its limit (`BLOBSTORE_MAX_STORE_BYTES`). The relayer makes five attempts; after that, retry the job.',
  upload_exhausted: 'Operators: check the publisher. Then retry the job.',
  internal_error: 'Nothing: it is retried.',
};
