"""Strict Ed25519 verification, with the same result in every library (packages/protocol/src/ed25519-strict.ts)."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_field_prime = 2**255 - 19
_group_order = 2**252 + 27742317777372353535851937790883648493
# y of the points whose order divides 8, sign bit clear
_small_order_y = frozenset(
    int.from_bytes(bytes.fromhex(each), "little")
    for each in (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)


def ed25519_verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether a signature is valid: neither key nor R of small order or non-canonical, and S below the order."""
    if not _is_strict_point(public_key) or len(signature) != 64 or not _is_strict_point(signature[:32]):
        return False
    if int.from_bytes(signature[32:], "little") >= _group_order:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_strict_point(encoded: bytes) -> bool:
    y = int.from_bytes(encoded, "little") & (2**255 - 1)
    return len(encoded) == 32 and y < _field_prime and y not in _small_order_y
