"""The `x-enc-session` header: a short-lived session key that the delegate key vouches for."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
from dataclasses import dataclass, field
from datetime import datetime, timezone

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .bech32 import bech32_encode
from .clock import Clock
from .signing import Signer

_ed25519_flag = b"\x00"
_personal_message_intent = b"\x03\x00\x00"

ttl_minutes = 10
"""At most 30. Short, because anyone with the header can read with it until it expires."""
_backdate_ms = 30_000
"""Key servers refuse a session that starts even a millisecond in their future, and clocks differ slightly."""
_renew_early_ms = 90_000
"""A session is replaced this long before it expires, because a recall may still be decrypting."""


@dataclass
class SessionCache:
    """Where clients of one key and relayer share a session. A session can read without the key: keep it as secret."""

    _package_id: str | None = None
    _renew_at_ms: float = 0
    _header: str = field(default="", repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)


class Sessions:
    """Makes session headers, and reuses each until shortly before it expires."""

    def __init__(self, signer: Signer, clock: Clock, shared: SessionCache | None = None) -> None:
        self._signer = signer
        self._clock = clock
        self._is_shared = shared is not None
        self._cache = shared if shared is not None else SessionCache()

    def header(self, package_id: str) -> str:
        """Return the header for this package."""
        cache, now_ms = self._cache, self._clock.now() * 1000
        with cache._lock:
            if cache._package_id != package_id or now_ms >= cache._renew_at_ms:
                created_ms = int(now_ms) - _backdate_ms
                session = create_session(self._signer, package_id, created_ms, ttl_minutes)
                cache._header = base64.b64encode(json.dumps(session, separators=(",", ":")).encode()).decode()
                cache._package_id = package_id
                cache._renew_at_ms = created_ms + ttl_minutes * 60_000 - _renew_early_ms
            return cache._header

    def reset(self) -> None:
        """Drop the current session, e.g. after the clock was corrected."""
        with self._cache._lock:
            self._cache._package_id = None
            self._cache._header = ""

    def release(self) -> None:
        """Drop the session of a closed client; a shared one is kept."""
        if not self._is_shared:
            self.reset()


def create_session(
    signer: Signer, package_id: str, creation_time_ms: int, ttl_min: int, seed: bytes | None = None
) -> dict[str, str | int]:
    """Return a session as Seal's `SessionKey.export()` writes it; `seed` is the session's own Ed25519 key."""
    seed = seed or secrets.token_bytes(32)
    public_key = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    text = session_message(package_id, creation_time_ms, ttl_min, public_key)
    return {
        "address": sui_address(signer.public_key),
        "packageId": package_id,
        "creationTimeMs": creation_time_ms,
        "ttlMin": ttl_min,
        "personalMessageSignature": _sign_personal_message(signer, text.encode()),
        "sessionKey": bech32_encode("suiprivkey", _ed25519_flag + seed),
    }


def session_message(package_id: str, creation_time_ms: int, ttl_min: int, session_public_key: bytes) -> str:
    """Return the text that is signed to open a session. Key servers rebuild the same text."""
    time = datetime.fromtimestamp(creation_time_ms // 1000, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
    key = base64.b64encode(session_public_key).decode()
    return f"Accessing keys of package {package_id} for {ttl_min} mins from {time}, session key {key}"


def sui_address(public_key: bytes) -> str:
    """Return the chain address of an Ed25519 public key."""
    return f"0x{_blake2b(_ed25519_flag + public_key).hex()}"


def _sign_personal_message(signer: Signer, message: bytes) -> str:
    """Return Sui's personal-message signature in base64: flag, signature, public key."""
    digest = _blake2b(_personal_message_intent + _uleb128(len(message)) + message)
    return base64.b64encode(_ed25519_flag + signer.sign(digest) + signer.public_key).decode()


def _uleb128(value: int) -> bytes:
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _blake2b(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()
