"""Envelopes and bundle files: the vectors of the TypeScript implementation, and damage."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memrelay import BundleError, InvalidArgumentError, open_bundle, resume_bundle
from memrelay.bundle.envelope import (
    EnvelopeError,
    namespace_tag,
    open_body,
    open_recovery_wrap,
    padded_length,
    parse_header,
)
from memrelay.bundle.meta import MetaError, decode_meta
from memrelay.bundle.records import BundleKey, new_bundle_key, seal_record

from .shared import read_json

vectors: Any = read_json("packages/envelope/vectors/envelope-v1.json")
# An export asks for its own account and namespaces, so it does not compare these with the caller's
not_checked = {"wrong_origin", "wrong_tag", "future_epoch", "foreign_wrap", "index_mismatch"}


def open_vector(vector: Any, envelope: bytes) -> Any:
    header = parse_header(envelope)
    return header, open_body(header, envelope, bytes.fromhex(vector["recipient_sk"]), {vector["signer_pk"]})


@pytest.mark.parametrize("vector", vectors["envelopes"], ids=lambda each: each["name"])
def test_opens_the_published_envelopes(vector: Any) -> None:
    header, opened = open_vector(vector, bytes.fromhex(vector["envelope"]))
    assert opened.text == vector["text"]
    assert opened.meta == {**vector["meta"], "ns": vector["namespace"]}
    assert opened.signer.hex() == vector["signer_pk"]
    assert [{"type": kind, "bytes": wrap.hex()} for kind, wrap in header.wraps] == vector["wraps"]
    with pytest.raises(EnvelopeError) as caught:
        open_body(header, bytes.fromhex(vector["envelope"]), bytes.fromhex(vector["recipient_sk"]), set())
    assert caught.value.reason == "untrusted_signer"


@pytest.mark.parametrize("refused", vectors["refused"], ids=lambda each: each["name"])
def test_rejects_the_published_forgeries_for_the_same_reason(refused: Any) -> None:
    envelope = bytes.fromhex(refused["envelope"])
    if refused["reason"] in not_checked:
        with contextlib.suppress(EnvelopeError):
            open_vector(vectors["envelopes"][0], envelope)
        return
    with pytest.raises(EnvelopeError) as caught:
        open_vector(vectors["envelopes"][0], envelope)
    assert caught.value.reason == refused["reason"]


def test_computes_tags_lengths_and_recovered_keys_alike() -> None:
    for each in vectors["namespace_tags"]:
        assert namespace_tag(bytes.fromhex(each["origin"]), each["namespace"]).hex() == each["tag"]
    for length, padded in vectors["padded_lengths"]:
        assert padded_length(length) == padded
    vector = vectors["envelopes"][1]
    header = parse_header(bytes.fromhex(vector["envelope"]))
    recovery_key = bytes.fromhex(vectors["recovery"]["recovery_sk"])
    assert open_recovery_wrap(header.wraps[1][1], recovery_key, header).hex() == vector["recipient_sk"]


@pytest.mark.parametrize(
    "meta",
    [
        b"[]",
        b"{",
        b'{"ns":"n"}',
        b'{"ns":"n","created_at":"2026-02-30T00:00:00Z"}',
        b'{"ns":"n","created_at":"2026-02-01T00:00:00"}',
        b'{"ns":"n","created_at":"2026-02-01T00:00:00Z","importance":NaN}',
        b'{"ns":"n","created_at":"2026-02-01T00:00:00Z","importance":true}',
        b'{"ns":"\\ud800","created_at":"2026-02-01T00:00:00Z"}',
        b'{"ns":"n","created_at":"2026-02-01T00:00:00Z","tags":["a","a"]}',
        b'{"ns":"n","created_at":"2026-02-01T00:00:00Z","metadata":{"a":[]}}',
        b'{"ns":"n","created_at":"2026-02-01T00:00:00Z","supersedes":["x"]}',
    ],
)
def test_rejects_metadata_outside_its_rules(meta: bytes) -> None:
    with pytest.raises(MetaError):
        decode_meta(meta)


passphrase = "correct horse battery"


@pytest.fixture(scope="module")
def bundle() -> bytes:
    key = new_bundle_key(passphrase, 10)
    return key.header + b"".join(records(key))


def records(key: BundleKey) -> list[bytes]:
    vector = vectors["envelopes"][0]
    envelope = bytes.fromhex(vector["envelope"])
    memory = {"id": "m", "namespace": "n", "created_at": "2026-01-01T00:00:00Z", "importance": 1}
    page = {
        "kind": "page",
        "memories": [memory | {"envelope": len(envelope), "vectors": {"model": "x", "count": 2, "bytes": 8}}],
        "keys": [{"recipient_pk": vector["recipient_pk"], "private_key": vector["recipient_sk"]}],
        "trusted_writers": [vector["signer_pk"]],
        "failed": [],
        "next_cursor": "c",
    }
    return [
        seal_record(key, 0, {"kind": "start", "account_id": "0x1", "created_at": "2026-01-01T00:00:00Z"}),
        seal_record(key, 1, page, [envelope, b"\x00" * 16]),
        seal_record(key, 2, {"kind": "end", "memories": 1, "failed": 0}),
    ]


def sevens(data: bytes) -> Iterator[bytes]:
    return (data[at : at + 7] for at in range(0, len(data), 7))


def test_reads_a_bundle_from_bytes_a_path_and_chunks(bundle: bytes, tmp_path: Path) -> None:
    path = tmp_path / "all.mrb"
    path.write_bytes(bundle)
    sources: list[Any] = [bundle, path, str(path), lambda: sevens(bundle)]
    for source in sources:
        opened = open_bundle(source, passphrase)
        assert (opened.memories, opened.failed, opened.account_id) == (1, 0, "0x1")
        assert opened.trusted_writers == (vectors["envelopes"][0]["signer_pk"],)
        assert [len(each.payload) for each in opened.pages()] == [len(vectors["envelopes"][0]["envelope"]) // 2 + 16]
        assert passphrase not in repr(opened)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda b: b, "wrong_passphrase"),
        (lambda b: b"XXXX" + b[4:], "invalid_bundle"),
        (lambda b: b[:4] + b"\x02" + b[5:], "unsupported_bundle"),
        (lambda b: b[:6] + b"\xff" + b[7:], "invalid_bundle"),
        (lambda b: b[:-5], "bundle_cut_off"),
        (lambda b: b[:-5] + b"\x00" + b[-4:], "invalid_bundle"),
        (lambda b: b + b"x", "invalid_bundle"),
    ],
)
def test_rejects_damaged_bundles_and_other_passphrases(bundle: bytes, change: Any, code: str) -> None:
    other = "another passphrase" if code == "wrong_passphrase" else passphrase
    with pytest.raises(BundleError) as caught:
        open_bundle(change(bundle), other)
    assert caught.value.code == code


def test_does_not_import_from_a_file_that_was_replaced(bundle: bytes, tmp_path: Path) -> None:
    path = tmp_path / "all.mrb"
    path.write_bytes(bundle)
    opened = open_bundle(path, passphrase)
    other = new_bundle_key(passphrase, 10)
    path.write_bytes(other.header + b"".join(records(other)))
    with pytest.raises(BundleError, match="changed"):
        list(opened.pages())


def test_finds_where_to_resume(bundle: bytes) -> None:
    key = new_bundle_key(passphrase, 10)
    start, page, _ = records(key)
    complete = key.header + start + page
    position = resume_bundle(complete + b"torn", passphrase)
    assert position is not None
    assert (position.bytes, position.records, position.memories, position.cursor) == (len(complete), 2, 1, "c")
    assert resume_bundle(key.header + start, passphrase) is None
    with pytest.raises(BundleError, match="complete"):
        resume_bundle(bundle, passphrase)


def test_refuses_short_passphrases() -> None:
    with pytest.raises(InvalidArgumentError, match="12 characters"):
        new_bundle_key("too short")
