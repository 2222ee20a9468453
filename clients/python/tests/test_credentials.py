"""Credential files: where they are found, and what is rejected."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memrelay import CredentialsError, MemRelay, credential_paths, load_credentials
from memrelay.core.signing import Signer

from .shared import account_id, key, package_id

content = {
    "delegatePrivateKey": key,
    "delegatePublicKey": Signer(key).public_key.hex(),
    "delegateAddress": "0x" + "01" * 32,
    "walletAddress": "0x" + "02" * 32,
    "accountId": account_id,
    "packageId": package_id,
    "relayerUrl": "http://127.0.0.1:8000",
    "label": "test",
    "createdAt": "2026-01-01T00:00:00Z",
}


def write(path: Path, text: str = json.dumps(content), mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEM_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


def test_prefers_the_path_then_the_sign_in_then_the_local_system(home: Path) -> None:
    with pytest.raises(CredentialsError, match="memrelay up"):
        load_credentials()
    sign_in, local = credential_paths()
    assert sign_in == home / ".mem" / "credentials.json"
    write(local, json.dumps(content | {"label": "local"}))
    assert load_credentials().label == "local"
    write(sign_in, json.dumps(content | {"label": "sign-in"}))
    assert load_credentials().label == "sign-in"
    assert load_credentials(local).label == "local"
    with MemRelay.connect(namespace="n") as client:
        assert client.public_key == content["delegatePublicKey"]
        assert client.account_id == account_id
        assert key not in repr(client)


def test_rejects_files_that_others_can_read(home: Path) -> None:
    path = write(home / "credentials.json", mode=0o640)
    with pytest.raises(CredentialsError, match="chmod 600"):
        load_credentials(path)
    assert load_credentials(path, allow_open_permissions=True).account_id == account_id


def test_names_invalid_fields_without_their_values(home: Path) -> None:
    path = write(home / "c.json", json.dumps(content | {"accountId": "0x1", "relayerUrl": "ftp://secret"}))
    with pytest.raises(CredentialsError) as caught:
        load_credentials(path)
    assert "accountId must be 0x and 64 hex characters" in str(caught.value)
    assert "relayerUrl" in str(caught.value)
    assert "secret" not in str(caught.value)
    for text in ("{" + key, "[]", json.dumps(content | {"delegatePublicKey": "00" * 32})):
        with pytest.raises(CredentialsError) as malformed:
            load_credentials(write(home / "bad.json", text))
        assert key not in str(malformed.value)
        assert malformed.value.__context__ is None or malformed.value.__suppress_context__


def test_never_falls_back_from_a_malformed_file() -> None:
    sign_in, local = credential_paths()
    write(local)
    write(sign_in, "{}")
    with pytest.raises(CredentialsError, match="delegatePrivateKey"):
        load_credentials()
    sign_in.unlink()
    sign_in.mkdir()
    with pytest.raises(CredentialsError, match="directory"):
        load_credentials()


def test_an_empty_home_is_not_the_working_directory(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.chdir(home)
    assert credential_paths()[0].is_absolute()
    assert not str(credential_paths()[0]).startswith(os.getcwd())


def test_credentials_do_not_show_their_key(home: Path) -> None:
    assert key not in repr(load_credentials(write(home / "c.json")))
