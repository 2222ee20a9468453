"""The vectors that the TypeScript client reproduces, too (packages/sdk/test/wire-vectors.test.ts)."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from memrelay import ErrorCode, JobErrorCode
from memrelay.core.clock import Clock
from memrelay.core.sessions import SessionCache, Sessions, create_session, session_message, sui_address
from memrelay.core.signing import Signer, auth_headers, signed_message
from memrelay.credentials import data_dir
from memrelay.error_codes import is_retryable

from .shared import vectors


@pytest.mark.parametrize("vector", vectors()["keys"])
def test_derives_public_key_and_chain_address(vector: dict[str, str]) -> None:
    signer = Signer(vector["private_key"])
    assert signer.public_key.hex() == vector["public_key"]
    assert sui_address(signer.public_key) == vector["address"]


@pytest.mark.parametrize("vector", vectors()["signed_requests"])
def test_signs_requests(vector: dict[str, Any]) -> None:
    parts = (vector["method"], vector["path"], vector["body"].encode())
    message = signed_message(str(vector["seconds"]), *parts, vector["nonce"], vector["account_id"])
    assert message == vector["message"]
    signer = Signer(bytes.fromhex(vector["private_key"]))
    headers = auth_headers(signer, vector["account_id"], vector["seconds"] + 0.999, *parts, vector["nonce"])
    assert headers == vector["headers"]


@pytest.mark.parametrize("vector", vectors()["sessions"])
def test_creates_sessions(vector: dict[str, Any]) -> None:
    terms = (vector["package_id"], vector["creation_time_ms"], vector["ttl_min"])
    seed = bytes.fromhex(vector["session_seed"])
    assert session_message(*terms, Signer(seed).public_key) == vector["message"]
    assert create_session(Signer(vector["private_key"]), *terms, seed) == vector["session"]


def test_knows_every_error_code_and_no_other() -> None:
    assert list(get_args(ErrorCode)) == [each["code"] for each in vectors()["errors"]]
    assert list(get_args(JobErrorCode)) == vectors()["job_errors"]


def test_retries_the_same_errors() -> None:
    for each in vectors()["errors"]:
        assert is_retryable(each["status"], each["code"]) == each["retried"], each
    for each in vectors()["foreign_errors"]:
        assert is_retryable(each["status"], "from_the_future") == each["retried"], each


@pytest.mark.parametrize("vector", vectors()["data_directories"])
def test_finds_the_data_directory(vector: dict[str, Any]) -> None:
    assert str(data_dir(vector["environment"], vector["platform"], Path(vector["home"]))) == vector["path"]


def test_session_header_is_base64_of_json() -> None:
    now = 1_765_432_100.0
    clock = Clock(lambda: now)
    sessions = Sessions(Signer("11" * 32), clock)
    first = sessions.header("0x" + "5d" * 32)
    decoded = json.loads(base64.b64decode(first))
    assert decoded["creationTimeMs"] == 1_765_432_070_000
    now += 7 * 60
    assert sessions.header("0x" + "5d" * 32) == first
    now += 2 * 60
    assert sessions.header("0x" + "5d" * 32) != first

    shared = SessionCache()
    one, two = (Sessions(Signer("11" * 32), clock, shared) for _ in range(2))
    header = one.header("0x" + "5d" * 32)
    one.release()
    assert two.header("0x" + "5d" * 32) == header
    assert header not in repr(shared)
