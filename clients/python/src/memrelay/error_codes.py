"""The codes that errors have. Written from the relayer's catalogue; a test compares them in both directions."""

from __future__ import annotations

from typing import Literal

ErrorCode = Literal[
    "invalid_request",
    "sponsor_rejected",
    "unsponsorable_transaction",
    "invalid_authorization",
    "invalid_redirect_uri",
    "invalid_client_metadata",
    "invalid_grant",
    "invalid_target",
    "unsupported_grant_type",
    "invalid_consent",
    "consent_too_long",
    "invalid_client",
    "invalid_token",
    "missing_auth_header",
    "invalid_auth_header",
    "timestamp_out_of_window",
    "invalid_signature",
    "nonce_replayed",
    "unknown_delegate_key",
    "ambiguous_account",
    "account_inactive",
    "delegate_expired",
    "foreign_origin",
    "host_not_allowed",
    "insufficient_scope",
    "decrypt_credential_required",
    "decrypt_denied",
    "not_found",
    "job_not_found",
    "webhook_not_found",
    "memory_not_found",
    "method_not_allowed",
    "request_timeout",
    "consent_not_registered",
    "idempotency_key_reused",
    "job_not_failed",
    "webhook_limit_reached",
    "memory_not_replaceable",
    "prune_required",
    "payload_too_large",
    "unsupported_media_type",
    "expectation_failed",
    "rate_limited",
    "headers_too_large",
    "internal_error",
    "webhooks_not_enabled",
    "rerank_not_available",
    "sponsor_failed",
    "llm_answer_invalid",
    "llm_rejected",
    "store_rejected",
    "auth_unavailable",
    "database_unavailable",
    "decrypt_unavailable",
    "embedding_unavailable",
    "llm_not_configured",
    "llm_unavailable",
    "overloaded",
    "sidecar_unavailable",
    "sponsor_unavailable",
    "sponsor_unconfigured",
    "store_unavailable",
    "storage_limit_reached",
]
"""Codes of error responses, in the order of the relayer's catalogue."""

JobErrorCode = Literal[
    "embedding_unavailable",
    "embedding_rejected",
    "upload_unavailable",
    "upload_rejected",
    "store_full",
    "upload_exhausted",
    "internal_error",
]
"""Values of `error_code` of a job."""

ClientErrorCode = Literal[
    "invalid_argument",
    "invalid_credentials",
    "client_closed",
    "network_error",
    "timeout",
    "invalid_response",
    "account_mismatch",
    "package_mismatch",
    "invalid_bundle",
    "bundle_cut_off",
    "unsupported_bundle",
    "wrong_passphrase",
    "job_failed",
    "job_timeout",
]
"""Codes that this client makes itself."""

_retryable_statuses = frozenset({408, 429, 502, 503, 504})

# Where the catalogue differs from the rule by status, and what only a new attempt with a new nonce can solve.
_exceptions = {
    "consent_not_registered": True,
    "sponsor_failed": False,
    "llm_answer_invalid": False,
    "llm_rejected": False,
    "store_rejected": False,
    "llm_not_configured": False,
    "sponsor_unconfigured": False,
    "nonce_replayed": True,
}


def is_retryable(status: int, code: str) -> bool:
    """Tell whether a request may succeed later after an error with this status and code."""
    return _exceptions.get(code, status in _retryable_statuses)
