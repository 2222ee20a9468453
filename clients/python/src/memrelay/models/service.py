"""The relayer itself, and the account of a client."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from .base import CamelModel, Model


class DelegateScope(Model):
    """What a delegate key may do."""

    perms: list[str]
    all_namespaces: bool
    tags: list[str]
    min_epoch: int


class DelegateInfo(Model):
    """The delegate key of the client."""

    label: str
    scope: DelegateScope
    expires_at: datetime | None = None
    """None when the key never expires"""


class AccountInfo(Model):
    """Whose account this is, and what this delegate key may do."""

    owner: str
    account_id: str
    origin: str
    """The address that created the account, which never changes: namespace tags are keyed by it"""
    key_epoch: int
    active: bool
    delegate: DelegateInfo


class SupportedSdks(Model):
    """The oldest clients that a relayer supports."""

    typescript: str
    python: str
    mcp: str


class Deprecation(CamelModel):
    """Something that a later version removes."""

    surface: str
    deprecated_since: str
    removal_api_version: str
    guidance: str


class BuildInfo(CamelModel):
    """Where the relayer's program comes from."""

    commit: str | None = None
    build_timestamp: str | None = None


class VersionInfo(CamelModel):
    """`GET /version`."""

    relayer_version: str
    api_version: str
    min_supported_sdk: SupportedSdks
    feature_flags: dict[str, bool]
    deprecations: list[Deprecation]
    build: BuildInfo


class PromptVersions(Model):
    """Versions of the relayer's prompts."""

    extract: str
    ask: str
    rerank: str


class HealthInfo(VersionInfo):
    """`GET /health`."""

    status: Literal["ok"] | str
    version: str
    mode: Literal["production", "local"] | str
    prompt_versions: PromptVersions = Field(alias="prompt_versions")


class EncServerPublic(CamelModel):
    """A key server."""

    object_id: str
    weight: int
    aggregator_url: str | None = None


class EmbeddingConfig(Model):
    """The embedding model of a relayer."""

    model: str
    dimension: int
    min_score: float | None = None
    """A memory that shares no word with the question is a hit only if its similarity is above this"""


class PublicConfig(CamelModel):
    """`GET /config`: what a client needs to create its session key and to read blobs. No secrets."""

    package_id: str
    registry_id: str
    network: str
    sui_rpc_url: str
    aggregator_url: str
    enc_server_configs: list[EncServerPublic]
    enc_threshold: int
    embedding: EmbeddingConfig
    chat_model: bool
    """Whether a chat model is configured: then `analyze` extracts facts with it, and `rerank` works"""
