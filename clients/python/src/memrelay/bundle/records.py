"""The bundle file: its header with the salt of the passphrase, and its encrypted records.

`"MRX1" ‖ version 1 ‖ kdf 1 ‖ log2 N ‖ 0 ‖ salt 16`, then records `last u8 ‖ length u32 ‖ nonce 12 ‖ AES-256-GCM`,
little-endian, with header, position and `last` as additional data: a reader detects every change, omission, reordering,
addition and truncation. The key is scrypt (RFC 7914, r = 8, p = 1) of the passphrase in Unicode's form C.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import struct
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ..errors import BundleError, InvalidArgumentError

header_length = 24
default_log_n = 17
"""Takes 128 MiB and about one second"""
_magic = b"MRX1"
_salt_length = 16
_min_log_n, _max_log_n = 10, 19
_shortest_passphrase = 12
_prefix = struct.Struct("<BI12s")
_tag_length = 16
_max_record_length = 24 * 1024 * 1024


@dataclass(frozen=True)
class BundleKey:
    """A bundle's header, and the key of its records."""

    header: bytes
    key: bytes = field(repr=False)


class Record(NamedTuple):
    """An opened record; `number` counts from 0, `end` is where it ends in the file."""

    number: int
    head: dict[str, Any]
    payload: bytes
    last: bool
    end: int


def new_bundle_key(passphrase: str, log_n: int = default_log_n) -> BundleKey:
    """Return a new salt and its key. Raises `InvalidArgumentError` for a passphrase below 12 characters."""
    if len(passphrase) < _shortest_passphrase:
        raise InvalidArgumentError(
            f"passphrase must have at least {_shortest_passphrase} characters, because anyone with the file can try "
            "any number of passphrases."
        )
    if not _min_log_n <= log_n <= _max_log_n:
        raise InvalidArgumentError(f"scrypt_log_n must be {_min_log_n} to {_max_log_n}.")
    return _derive(_magic + bytes((1, 1, log_n, 0)) + secrets.token_bytes(_salt_length), passphrase)


def bundle_key_of(header: bytes, passphrase: str) -> BundleKey:
    """Return the key of a bundle with this header. Raises `BundleError`."""
    if len(header) != header_length or header[:4] != _magic:
        raise BundleError("invalid_bundle", "This is not a memrelay bundle.")
    version, kdf, log_n, zero = header[4:8]
    if version != 1 or kdf != 1 or zero != 0:
        raise BundleError("unsupported_bundle", "This bundle was written by a newer version.")
    if not _min_log_n <= log_n <= _max_log_n:
        raise BundleError("invalid_bundle", "The header of the bundle is damaged.")
    return _derive(header, passphrase)


def _derive(header: bytes, passphrase: str) -> BundleKey:
    try:
        password = unicodedata.normalize("NFC", passphrase).encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError("passphrase is not well-formed Unicode.") from None
    n = 1 << header[6]
    key = hashlib.scrypt(password, salt=header[-_salt_length:], n=n, r=8, p=1, dklen=32, maxmem=n * 8 * 128 + 2**20)
    return BundleKey(header, key)


def seal_record(key: BundleKey, index: int, head: dict[str, Any], payload: Iterable[bytes] = ()) -> bytes:
    """Return one sealed record: `u32 head length ‖ head as JSON ‖ payload`."""
    last = head["kind"] == "end"
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    plaintext = struct.pack("<I", len(text)) + text + b"".join(payload)
    # Random, not the position: a record torn by a crash is rewritten with different content
    nonce = secrets.token_bytes(12)
    sealed = AESGCM(key.key).encrypt(nonce, plaintext, _additional_data(key, index, last))
    return _prefix.pack(last, len(sealed), nonce) + sealed


def read_records(chunks: Iterable[bytes], key: BundleKey) -> Iterator[Record]:
    """Yield the records of a bundle, one in memory at a time.

    Raises `BundleError`: `wrong_passphrase` at the first record, `bundle_cut_off` if records are missing at the end,
    `invalid_bundle`, also if the header is not that of the key.
    """
    source = _Source(chunks)
    if source.read(header_length) != key.header:
        raise BundleError("invalid_bundle", "The bundle was changed since it was opened.")
    index, end, last = 0, header_length, 0
    while not last:
        last, length, nonce = _prefix.unpack(source.read_exactly(_prefix.size))
        if last > 1 or not _tag_length <= length <= _max_record_length:
            raise _damaged(index)
        sealed = source.read_exactly(length)
        try:
            plaintext = AESGCM(key.key).decrypt(nonce, sealed, _additional_data(key, index, bool(last)))
        except InvalidTag:
            raise _damaged(index) from None
        end += _prefix.size + length
        if last and source.read(1):
            raise BundleError("invalid_bundle", "There is data after the end of the bundle.")
        head, payload = _decode(plaintext)
        yield Record(index, head, payload, bool(last), end)
        index += 1


def _additional_data(key: BundleKey, index: int, last: bool) -> bytes:
    return key.header + struct.pack("<QB", index, last)


def _decode(plaintext: bytes) -> tuple[dict[str, Any], bytes]:
    try:
        length = struct.unpack_from("<I", plaintext)[0]
        if length > len(plaintext) - 4:
            raise ValueError("head longer than the record")
        head = json.loads(plaintext[4 : 4 + length].decode())
        payload = plaintext[4 + length :]
        if head["kind"] == "page":
            _check_page(head, len(payload))
        elif head["kind"] not in ("start", "end"):
            raise ValueError("unknown kind")
    except (KeyError, TypeError, ValueError, struct.error):
        raise BundleError("invalid_bundle", "A record of the bundle has an unknown form.") from None
    return head, payload


def _check_page(head: dict[str, Any], payload_length: int) -> None:
    total = 0
    for memory in head["memories"]:
        vectors = memory.get("vectors")
        lengths = [memory["envelope"], *([vectors["count"], vectors["bytes"]] if vectors else [])]
        if not all(type(each) is int and each >= 0 for each in lengths):
            raise ValueError("a length")
        total += lengths[0] + (lengths[1] * lengths[2] if vectors else 0)
    if total != payload_length:
        raise ValueError("lengths do not add up")
    keys = [hex_ for key in head["keys"] for hex_ in (key["recipient_pk"], key["private_key"])]
    if any(len(bytes.fromhex(each)) != 32 for each in [*keys, *head["trusted_writers"]]):
        raise ValueError("keys")


def _damaged(index: int) -> BundleError:
    if index > 0:
        return BundleError("invalid_bundle", "The bundle is damaged or was modified.")
    return BundleError("wrong_passphrase", "The passphrase is wrong, or the beginning of the bundle is damaged.")


class _Source:
    """Reads exact lengths from chunks of any size."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = bytearray()

    def read(self, length: int) -> bytes:
        """Return the next bytes; fewer only at the end."""
        while len(self._rest) < length:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            self._rest += chunk
        taken = bytes(self._rest[:length])
        del self._rest[:length]
        return taken

    def read_exactly(self, length: int) -> bytes:
        taken = self.read(length)
        if len(taken) == length:
            return taken
        raise BundleError("bundle_cut_off", "The bundle is incomplete: its export or a copy was interrupted.")
