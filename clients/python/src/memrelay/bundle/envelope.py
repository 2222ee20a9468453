"""Reading envelopes, the encrypted form of a memory (packages/envelope)."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .ed25519 import ed25519_verify
from .hpke import hpke_open, hpke_open_with_secret, x25519_public_key, x25519_secret
from .meta import MetaError, decode_meta

max_header_length = 16_384
_max_envelope_length = 1_572_864
_fixed_length = 153
_tag_length = 16
_min_plaintext_length = 1_024
_max_meta_length = 16_384
_max_wraps = 4
_recovery_wrap_type = 2
_recovery_wrap_length = 112
_info = b"memrelay-envelope-v1"
_recovery_info = b"memrelay-recovery-wrap-v1"


class EnvelopeError(Exception):
    """An envelope that is rejected. `reason` is a stable code; the message never contains memory text."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Header:
    """The fields of an envelope that reading it needs."""

    kind: int
    origin: bytes
    tag: bytes
    key_epoch: int
    envelope_id: bytes
    recipient_pk: bytes
    enc: bytes
    wraps: tuple[tuple[int, bytes], ...]
    header_length: int
    body_length: int

    @property
    def identity(self) -> bytes:
        """Origin, tag and epoch: what a wrap is bound to."""
        return self.origin + self.tag + struct.pack("<Q", self.key_epoch)


@dataclass(frozen=True)
class OpenedEnvelope:
    """The content of an envelope."""

    meta: dict[str, Any]
    text: str
    signer: bytes


def parse_header(envelope: bytes) -> Header:
    """Read the header of a complete envelope. Raises `EnvelopeError` `unsupported_envelope` or `malformed`."""
    if len(envelope) < _fixed_length or envelope[:4] != b"MRE1":
        raise EnvelopeError("malformed", "not an envelope")
    version, suite, kind, tag_key = envelope[4:8]
    if version != 1 or suite != 1 or not 1 <= kind <= 4 or tag_key != 0:
        raise EnvelopeError("unsupported_envelope", "a version, suite, kind or tag key of a later format")
    header_length, body_length = struct.unpack_from("<II", envelope, 8)
    if not _fixed_length + 3 <= header_length <= max_header_length:
        raise EnvelopeError("malformed", "header length out of range")
    if body_length < _min_plaintext_length + _tag_length or header_length + body_length > _max_envelope_length:
        raise EnvelopeError("malformed", "body length out of range")
    if header_length + body_length != len(envelope):
        raise EnvelopeError("malformed", "another length than the header says")
    tag, envelope_id = envelope[48:64], envelope[72:88]
    if not any(tag):
        raise EnvelopeError("malformed", "namespace tag is all zero")
    if envelope_id[6] >> 4 != 4 or envelope_id[8] >> 6 != 2:
        raise EnvelopeError("malformed", "envelope_id is not a random UUID")
    return Header(
        kind=kind,
        origin=envelope[16:48],
        tag=tag,
        key_epoch=struct.unpack_from("<Q", envelope, 64)[0],
        envelope_id=envelope_id,
        recipient_pk=envelope[88:120],
        enc=envelope[120:152],
        wraps=_decode_wraps(envelope[_fixed_length:header_length], envelope[152]),
        header_length=header_length,
        body_length=body_length,
    )


def _decode_wraps(region: bytes, count: int) -> tuple[tuple[int, bytes], ...]:
    if not 1 <= count <= _max_wraps:
        raise EnvelopeError("malformed", "wrap count must be 1 to 4")
    wraps = []
    for _ in range(count):
        if len(region) < 3:
            raise EnvelopeError("malformed", "wraps end early")
        kind, length = struct.unpack_from("<BH", region)
        if len(region) - 3 < length or (kind == _recovery_wrap_type and length != _recovery_wrap_length):
            raise EnvelopeError("malformed", "a wrap has a wrong length")
        wraps.append((kind, region[3 : 3 + length]))
        region = region[3 + length :]
    if region:
        raise EnvelopeError("malformed", "bytes after the last wrap")
    return tuple(wraps)


def open_recovery_wrap(wrap: bytes, private_key: bytes, header: Header) -> bytes:
    """Return the pair's 32-byte private key. Raises `EnvelopeError`."""
    if len(wrap) != _recovery_wrap_length:
        raise EnvelopeError("malformed", "not a recovery wrap")
    public_key = x25519_public_key(private_key)
    if wrap[:32] != public_key:
        raise EnvelopeError("wrong_recipient", "another recovery key's wrap")
    aad = header.identity + header.recipient_pk
    opened = hpke_open(private_key, public_key, wrap[32:64], _recovery_info, aad, wrap[64:])
    if opened is None:
        raise EnvelopeError("decrypt_failed", "the recovery wrap does not authenticate")
    if len(opened) != 32 or x25519_public_key(opened) != header.recipient_pk:
        raise EnvelopeError("wrong_recipient", "the recovered key is not of recipient_pk")
    return opened


def envelope_secret(header: Header, private_key: bytes) -> bytes:
    """Return the secret that opens only this envelope, 32 bytes. Raises `EnvelopeError`."""
    if len(private_key) != 32 or x25519_public_key(private_key) != header.recipient_pk:
        raise EnvelopeError("wrong_recipient", "the private key does not match recipient_pk")
    secret = x25519_secret(private_key, header.enc)
    if secret is None:
        raise EnvelopeError("decrypt_failed", "the body does not authenticate")
    return secret


def open_body(header: Header, envelope: bytes, private_key: bytes, trusted: Collection[str]) -> OpenedEnvelope:
    """Open the body with the unwrapped private key.

    The text is returned only after the body was authenticated, its namespace matched the tag, and a trusted key's
    signature (hex in `trusted`) was verified. Raises `EnvelopeError`.
    """
    secret = envelope_secret(header, private_key)
    header_bytes = envelope[: header.header_length]
    plaintext = hpke_open_with_secret(
        secret, header.recipient_pk, header.enc, _info, header_bytes, envelope[header.header_length :]
    )
    if plaintext is None:
        raise EnvelopeError("decrypt_failed", "the body does not authenticate")
    meta_bytes, text_bytes, signer, content, signature = _split_body(plaintext)
    try:
        meta = decode_meta(meta_bytes)
    except MetaError as error:
        raise EnvelopeError("bad_meta", str(error)) from None
    try:
        text = text_bytes.decode()
    except UnicodeDecodeError:
        raise EnvelopeError("malformed", "text is not UTF-8") from None
    if namespace_tag(header.origin, meta["ns"]) != header.tag:
        raise EnvelopeError("wrong_tag", "the sealed namespace does not match the tag of the header")
    signed = b"memrelay-envelope-v1\n" + hashlib.sha256(header_bytes + content).digest()
    if not ed25519_verify(signer, signed, signature):
        raise EnvelopeError("bad_signature", "the writer's signature is invalid")
    if signer.hex() not in trusted:
        raise EnvelopeError("untrusted_signer", "signed by a key that is not trusted")
    return OpenedEnvelope(meta, text, signer)


def _split_body(plaintext: bytes) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Return meta, text, signer, the signed content and the signature."""
    offset = 0

    def take(length: int) -> bytes:
        nonlocal offset
        if length > len(plaintext) - offset:
            raise EnvelopeError("malformed", "a body field ends outside it")
        offset += length
        return plaintext[offset - length : offset]

    meta_length = struct.unpack("<I", take(4))[0]
    if meta_length > _max_meta_length:
        raise EnvelopeError("malformed", "meta above 16 KiB")
    meta = take(meta_length)
    text = take(struct.unpack("<I", take(4))[0])
    signer = take(32)
    content = plaintext[:offset]
    signature = take(64)
    if len(plaintext) != padded_length(offset) or any(plaintext[offset:]):
        raise EnvelopeError("bad_padding", "the padding is not exactly that of the format")
    return meta, text, signer, content, signature


def padded_length(length: int) -> int:
    """Return the size of a body plaintext with this many bytes of content (Padmé, at least 1 KiB)."""
    exponent = length.bit_length() - 1
    rounded_bits = exponent - exponent.bit_length()
    step = 1 << max(rounded_bits, 0)
    return max(_min_plaintext_length, -(-length // step) * step)


def namespace_tag(origin: bytes, namespace: str) -> bytes:
    """Return the 16-byte tag of a namespace in one account, from the exact bytes of its name."""
    return hmac.digest(origin, b"memrelay-namespace-v1\0" + namespace.encode(), hashlib.sha256)[:16]
