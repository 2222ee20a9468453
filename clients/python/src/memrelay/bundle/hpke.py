"""HPKE base mode (RFC 9180) with X25519, HKDF-SHA256 and AES-256-GCM: opening one message."""

from __future__ import annotations

import hashlib
import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_version = b"HPKE-v1"
_kem = b"KEM\x00\x20"
_suite = b"HPKE\x00\x20\x00\x01\x00\x02"


def x25519_public_key(private_key: bytes) -> bytes:
    """Return the public half of 32 private bytes."""
    return X25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw()


def x25519_secret(private_key: bytes, public_key: bytes) -> bytes | None:
    """Return the shared secret; None for a public key of small order (RFC 9180 §7.1.4)."""
    try:
        return X25519PrivateKey.from_private_bytes(private_key).exchange(X25519PublicKey.from_public_bytes(public_key))
    except ValueError:
        return None


def hpke_open(
    private_key: bytes, public_key: bytes, enc: bytes, info: bytes, aad: bytes, sealed: bytes
) -> bytes | None:
    """Return the plaintext; None if it does not open, for any reason."""
    secret = x25519_secret(private_key, enc) if len(enc) == 32 else None
    return None if secret is None else hpke_open_with_secret(secret, public_key, enc, info, aad, sealed)


def hpke_open_with_secret(
    secret: bytes, public_key: bytes, enc: bytes, info: bytes, aad: bytes, sealed: bytes
) -> bytes | None:
    """Like `hpke_open`, with the Diffie-Hellman secret of recipient key and `enc` instead of the private key."""
    shared = _expand(_kem, _extract(_kem, b"", b"eae_prk", secret), b"shared_secret", enc + public_key, 32)
    context = b"\x00" + _extract(_suite, b"", b"psk_id_hash", b"") + _extract(_suite, b"", b"info_hash", info)
    schedule = _extract(_suite, shared, b"secret", b"")
    key = _expand(_suite, schedule, b"key", context, 32)
    nonce = _expand(_suite, schedule, b"base_nonce", context, 12)
    try:
        return AESGCM(key).decrypt(nonce, sealed, aad)
    except InvalidTag:
        return None


def _extract(suite: bytes, salt: bytes, label: bytes, material: bytes) -> bytes:
    return hmac.digest(salt, _version + suite + label + material, hashlib.sha256)


def _expand(suite: bytes, key: bytes, label: bytes, info: bytes, length: int) -> bytes:
    """HKDF-Expand for at most 32 bytes, which is one block."""
    labeled = bytes((0, length)) + _version + suite + label + info
    return hmac.digest(key, labeled + b"\x01", hashlib.sha256)[:length]
