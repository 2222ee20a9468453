"""Bech32 (BIP 173), as far as an exported key needs it: encoding of bytes."""

from __future__ import annotations

from collections.abc import Iterable

_alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_generator = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def _polymod(values: Iterable[int]) -> int:
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, factor in enumerate(_generator):
            if top >> bit & 1:
                checksum ^= factor
    return checksum


def _words(data: bytes) -> list[int]:
    """Return the bits in groups of five, padded with zeros."""
    bits = int.from_bytes(data, "big")
    padding = -len(data) * 8 % 5
    count = (len(data) * 8 + padding) // 5
    return [bits << padding >> 5 * (count - 1 - i) & 31 for i in range(count)]


def bech32_encode(prefix: str, data: bytes) -> str:
    """Return `prefix`, `1`, the data and the checksum."""
    words = _words(data)
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    checksum = _polymod([*expanded, *words, 0, 0, 0, 0, 0, 0]) ^ 1
    words += [checksum >> 5 * (5 - i) & 31 for i in range(6)]
    return f"{prefix}1{''.join(_alphabet[word] for word in words)}"
