"""Signed requests, as docs/connect-an-app.md describes them."""

from __future__ import annotations

import hashlib
import re
import uuid

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ..errors import InvalidArgumentError, MemRelayError

hex32_pattern = re.compile(r"[0-9a-fA-F]{64}\Z")
address_pattern = re.compile(r"0x[0-9a-fA-F]{64}\Z")


class Signer:
    """Keeps a delegate key, and signs with it until it is dropped."""

    def __init__(self, key: str | bytes) -> None:
        self._key: Ed25519PrivateKey | None = Ed25519PrivateKey.from_private_bytes(parse_private_key(key))
        self.public_key = self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """Return the 64 bytes of an Ed25519 signature. Raises `client_closed` after `drop`."""
        return self.usable().sign(message)

    def usable(self) -> Ed25519PrivateKey:
        """Return the key. Raises `client_closed` after `drop`."""
        if self._key is None:
            raise MemRelayError("client_closed", "This client was closed; create a new one.")
        return self._key

    def drop(self) -> None:
        """Forget the key."""
        self._key = None

    def __repr__(self) -> str:
        return f"Signer({self.public_key.hex()})"


def parse_private_key(key: str | bytes) -> bytes:
    """Read a delegate private key: 64 hex characters, with or without `0x`, or 32 bytes."""
    if isinstance(key, bytes):
        if len(key) == 32:
            return key
        raise InvalidArgumentError(
            f"key must be 32 bytes, not {len(key)}; if it is an expanded 64-byte key, pass its first half."
        )
    digits = re.sub(r"^0x", "", key, flags=re.IGNORECASE) if isinstance(key, str) else ""
    if hex32_pattern.match(digits):
        return bytes.fromhex(digits)
    raise InvalidArgumentError(
        "key must be the delegate private key as 64 hex characters (delegatePrivateKey of the credential file) "
        "or 32 bytes."
    )


def signed_message(timestamp: str, method: str, path_and_query: str, body: bytes, nonce: str, account_id: str) -> str:
    """Return the text whose UTF-8 bytes are signed with the delegate key."""
    digest = hashlib.sha256(body).hexdigest()
    return ".".join((timestamp, method, path_and_query, digest, nonce, account_id))


def auth_headers(
    signer: Signer,
    account_id: str,
    now: float,
    method: str,
    path_and_query: str,
    body: bytes,
    nonce: str | None = None,
) -> dict[str, str]:
    """Return the headers of one attempt; `now` is in seconds since 1970."""
    nonce = nonce or str(uuid.uuid4())
    timestamp = str(int(now))
    message = signed_message(timestamp, method, path_and_query, body, nonce, account_id)
    return {
        "x-public-key": signer.public_key.hex(),
        "x-signature": signer.sign(message.encode()).hex(),
        "x-timestamp": timestamp,
        "x-nonce": nonce,
        "x-account-id": account_id,
    }
