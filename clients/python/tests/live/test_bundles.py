"""Bundles: written here and read here, and exchanged with the TypeScript client."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest

from memrelay import MemRelay, RememberItem, open_bundle, resume_bundle

passphrase = "correct horse battery staple"


def test_a_bundle_holds_every_memory_and_imports_nothing_twice(mem: MemRelay, namespace: str, tmp_path: Path) -> None:
    items: list[str | RememberItem] = [
        RememberItem("Rosa waters the lemon tree.", tags=["garden"]),
        "The gate squeaks.",
    ]
    mem.remember_bulk_and_wait(items, timeout=60)
    path = tmp_path / "all.mrb"
    counts: list[int] = []
    with path.open("wb") as file:
        for part in mem.export_bundle(
            passphrase, namespace=namespace, on_progress=lambda each: counts.append(each.memories), scrypt_log_n=10
        ):
            file.write(part)
    assert counts == [2]
    assert b"lemon" not in path.read_bytes()
    bundle = open_bundle(path, passphrase)
    assert (bundle.memories, bundle.failed, bundle.namespace) == (2, 0, namespace)
    parts = list(mem.import_bundle(bundle))
    assert [each.result.status for part in parts for each in part.memories] == ["known", "known"]
    assert list(mem.import_bundle(bundle, skip={0})) == []

    mem.forget(namespace=namespace)
    (sent,) = mem.import_bundle(bundle)
    job_ids = [each.result.job_id for each in sent.memories if each.result.status == "running"]
    assert {each.status for each in mem.wait_for_jobs(job_ids, timeout=60)} == {"done"}
    hit = mem.recall("who waters the lemon tree?").results[0]
    assert (hit.text, hit.tags) == ("Rosa waters the lemon tree.", ["garden"])
    opened = {each.text: each.context for each in mem.export_open(namespace=namespace)}
    assert opened == {"Rosa waters the lemon tree.": {"tags": ["garden"]}, "The gate squeaks.": {}}


def test_an_interrupted_export_is_resumed(mem: MemRelay, tmp_path: Path, namespace: str) -> None:
    mem.remember_and_wait("The ferry leaves at nine.", timeout=60)
    parts = list(mem.export_bundle(passphrase, namespace=namespace, scrypt_log_n=10))
    path = tmp_path / "cut.mrb"
    path.write_bytes(b"".join(parts[:2]) + parts[2][:9])
    position = resume_bundle(path, passphrase)
    assert position is not None
    with path.open("r+b") as file:
        file.truncate(position.bytes)
        file.seek(position.bytes)
        for part in mem.export_bundle(passphrase, namespace=namespace, resume=position):
            file.write(part)
    assert open_bundle(path, passphrase).memories == 1


@pytest.mark.skipif("MEMRELAY_TEST_BUNDLE" not in os.environ, reason="no bundle of the TypeScript client")
def test_imports_a_bundle_of_the_typescript_client(mem: MemRelay) -> None:
    bundle = open_bundle(os.environ["MEMRELAY_TEST_BUNDLE"], passphrase)
    (sent,) = mem.import_bundle(bundle)
    assert [each.result.status for each in sent.memories] == ["known"]
    assert bundle.memories == 1


@pytest.mark.skipif("MEMRELAY_TEST_BUNDLE_OUT" not in os.environ, reason="nothing reads it")
def test_writes_a_bundle_for_the_typescript_client(mem: MemRelay) -> None:
    own = f"python-{uuid.uuid4()}"
    mem.remember_and_wait("Written by Python.", namespace=own, tags=["snake"], timeout=60)
    with open(os.environ["MEMRELAY_TEST_BUNDLE_OUT"], "wb") as file:
        file.writelines(mem.export_bundle(passphrase, namespace=own, scrypt_log_n=10))
