"""Credential files: what a client needs to act as a delegate of an account."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .core.signing import Signer, address_pattern, hex32_pattern
from .errors import CredentialsError


@dataclass(frozen=True)
class Credentials:
    """The content of a credential file. `delegate_private_key` is a long-lived secret."""

    delegate_private_key: str = field(repr=False)
    delegate_public_key: str
    delegate_address: str
    wallet_address: str
    account_id: str
    package_id: str
    relayer_url: str
    label: str
    created_at: str
    """RFC 3339"""

    @staticmethod
    def parse(file: Any, source: str = "The credentials") -> Credentials:
        """Check a parsed credential file, with the names of the file (`delegatePrivateKey`, …).

        Raises `CredentialsError` with the names of all invalid fields, but no values, and if the two keys do not match.
        """
        values = file if isinstance(file, Mapping) else {}
        problems = [
            f"{name} must be {expected}"
            for name, (valid, expected) in _rules.items()
            if not (isinstance(values.get(name), str) and valid(values[name]))
        ]
        if problems:
            raise CredentialsError(
                f"{source} cannot be used: {'; '.join(problems)}. Sign in again to write a new file."
            )
        names = {each.name: _camel(each.name) for each in fields(Credentials)}
        credentials = Credentials(**{name: values[wire] for name, wire in names.items()})
        public_key = Signer(credentials.delegate_private_key).public_key.hex()
        if public_key != credentials.delegate_public_key.lower():
            raise CredentialsError(
                f"{source} cannot be used: delegatePrivateKey and delegatePublicKey do not match. Sign in again to "
                "write a new file."
            )
        return credentials


def load_credentials(
    path: str | os.PathLike[str] | None = None, *, allow_open_permissions: bool = False
) -> Credentials:
    """Read the credential file at `path`, otherwise the first of `credential_paths()` that exists.

    Raises `CredentialsError` if there is none, if it is unreadable or malformed (it never falls back to the next one),
    or if other users could read it; `allow_open_permissions` accepts that, e.g. for a secret mounted into a container.
    """
    paths = credential_paths() if path is None else [Path(path)]
    for candidate in paths:
        text = _read_private(candidate, allow_open_permissions)
        if text is not None:
            return Credentials.parse(_parse_json(text, candidate), str(candidate))
    raise CredentialsError(
        f"No credentials at {' or '.join(map(str, paths))}. Start a local system with `memrelay up`, sign in, or pass "
        "the path of a file."
    )


def credential_paths() -> list[Path]:
    """Return where credentials are searched, in order: those of a sign-in, then those of the local system."""
    return [home_directory() / ".mem" / "credentials.json", data_dir() / "credentials.json"]


def data_dir(environ: Mapping[str, str] | None = None, platform: str = sys.platform, home: Path | None = None) -> Path:
    """Return the data directory of the local system: `MEM_DATA_DIR`, else the platform's directory. It need not exist."""
    environ = os.environ if environ is None else environ
    home = home or home_directory()
    if environ.get("MEM_DATA_DIR"):
        return Path(environ["MEM_DATA_DIR"]).resolve()
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "memrelay"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "memrelay"
    # The XDG base directory specification: a relative path is invalid and ignored
    xdg = environ.get("XDG_DATA_HOME", "")
    return (Path(xdg) if xdg.startswith("/") else home / ".local" / "share") / "memrelay"


def home_directory() -> Path:
    """Return the user's home. An empty HOME counts as unset, or keys would be searched for in the working directory."""
    if os.environ.get("HOME") == "" and sys.platform != "win32":
        import pwd

        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    return Path.home()


def _read_private(path: Path, allow_open_permissions: bool) -> str | None:
    """Return the text of a file that only its owner may read; None if it does not exist."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            # Windows has no permission bits; there the profile directory protects the file
            if sys.platform != "win32" and stat.S_IMODE(mode) & 0o077 and not allow_open_permissions:
                raise CredentialsError(
                    f"{path} must be private, but other users can read or change it (mode {stat.S_IMODE(mode):o}). "
                    f"Run: chmod 600 {path}"
                )
            return file.read().decode()
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise CredentialsError(f"{path} is a directory. Move it away.") from None
    except UnicodeDecodeError:
        raise CredentialsError(f"{path} is not a text file. Sign in again to write a new file.") from None
    except OSError as error:
        raise CredentialsError(f"{path} cannot be read: {error.strerror}.") from error


def _parse_json(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        # Without the parser's message, whose exception holds the text and thus the key
        raise CredentialsError(f"{path} is not valid JSON. Sign in again to write a new file, or delete it.") from None


def _is_http_url(value: str) -> bool:
    try:
        url = urlsplit(value)
    except ValueError:
        return False
    return url.scheme in ("http", "https") and bool(url.hostname)


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


_Rule = tuple[Callable[[str], bool], str]
_hex: _Rule = (lambda value: bool(hex32_pattern.match(value)), "64 hex characters")
_address: _Rule = (lambda value: bool(address_pattern.match(value)), "0x and 64 hex characters")
_rules: dict[str, _Rule] = {
    "delegatePrivateKey": _hex,
    "delegatePublicKey": _hex,
    "delegateAddress": _address,
    "walletAddress": _address,
    "accountId": _address,
    "packageId": _address,
    "relayerUrl": (_is_http_url, "an http or https URL"),
    "label": (lambda _: True, "text"),
    "createdAt": (lambda _: True, "an RFC 3339 time"),
}
