"""Models, routes and request bodies against the relayer's OpenAPI document, in both directions."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any, Literal, Union, get_args, get_origin

import httpx
import jsonschema
import pytest

from memrelay import MemRelay, RememberItem, webhooks
from memrelay.models import base, bundles, jobs, maintenance, memories, service
from memrelay.models import webhooks as webhook_models

from .shared import client_for, read_json

document = read_json("apps/relayer/src/api/openapi/openapi.json")
schemas: dict[str, Any] = document["components"]["schemas"]
modules = (bundles, jobs, maintenance, memories, service, webhook_models)
models = {
    name: value
    for module in modules
    for name, value in vars(module).items()
    if inspect.isclass(value) and issubclass(value, base.Model) and value.__module__ == module.__name__
}

# What this client does not use: browsers, tools and operators do, or it is a part of manual mode
unused_schemas = {
    # `memrelay.audit` has stricter models, because entries are hashed
    # Of a dry run
    "AnalyzePreview",
    "AuditEntry",
    "AuditHead",
    "AuditResponse",
    "ErrorBody",
    "ErrorCode",
    "LiveInfo",
    "ManualAccepted",
    "ManualHit",
    "OwnerNamespacesResponse",
    "ReadyInfo",
    "RecallManualResponse",
    "RememberManualResponse",
    "RequestIssue",
    "SponsorExecuteResponse",
    "SponsorResponse",
}
unused_tags = {"Manual mode", "Sponsor", "Tools", "Sign-in"}
unused_routes = {
    "GET /api/audit",
    "POST /api/audit",
    "GET /api/namespaces",
    "GET /v1/owners/{owner}/namespaces",
    "GET /live",
    "GET /ready",
    "GET /openapi.json",
    "GET /reference",
    "GET /reference/script.js",
}
type_aliases = {
    *("MatchReason", "LostReason", "TextError", "JobStage", "ReindexFailure", "ImportResult"),
    "WebhookEvent",
}


def test_every_schema_has_a_model() -> None:
    assert {name for name in schemas if name not in models} == unused_schemas | type_aliases


@pytest.mark.parametrize("name", sorted(set(schemas) & set(models)))
def test_a_model_has_the_fields_of_its_schema(name: str) -> None:
    compare_model(models[name], schemas[name], name)


@pytest.mark.parametrize("name", sorted(type_aliases - {"ImportResult"}))
def test_an_open_enumeration_has_the_values_of_its_schema(name: str) -> None:
    alias = next(getattr(module, name) for module in modules if hasattr(module, name))
    assert literals(alias) == set(schemas[name]["enum"])


def compare_model(model: type[base.Model], schema: dict[str, Any], where: str) -> None:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    assert set(fields) == set(schema["properties"]), where
    for name, field in fields.items():
        assert field.is_required() == (name in schema.get("required", [])), f"{where}.{name} is required"
        compare_type(field.annotation, schema["properties"][name], f"{where}.{name}", field.is_required())


def compare_type(annotation: Any, schema: dict[str, Any], where: str, required: bool = True) -> None:
    """Compare a type with a schema; a field that is not required may also be None."""
    alternatives = [each for each in alternatives_of(annotation) if required or each is not type(None)]
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        if name in type_aliases:
            expected = next(getattr(module, name) for module in modules if hasattr(module, name))
            assert set(alternatives) == set(alternatives_of(expected)), where
        else:
            assert alternatives == [models[name]], where
    elif "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        assert literals(annotation) == set(values), where
    elif schema.get("type") == "array":
        (sequence,) = alternatives
        assert get_origin(sequence) is list, where
        compare_type(get_args(sequence)[0], schema["items"], where + "[]")
    elif "properties" in schema:
        (model,) = alternatives
        compare_model(model, schema, where)
    elif schema.get("type") == "object":
        (mapping,) = alternatives
        assert get_origin(mapping) is dict, where
        compare_type(get_args(mapping)[1], schema["additionalProperties"], where + "{}")
    else:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        allowed = set().union(*(json_types[name] for name in names))
        assert set(alternatives) <= allowed, f"{where}: {alternatives}"
        assert all(json_types[name] & set(alternatives) for name in names), f"{where}: {alternatives}"


json_types: dict[str, set[type]] = {
    "string": {str, datetime},
    "number": {int, float},
    "integer": {int},
    "boolean": {bool},
    "null": {type(None)},
}


def alternatives_of(annotation: Any) -> list[Any]:
    return list(get_args(annotation)) if get_origin(annotation) in (Union, types.UnionType) else [annotation]


def literals(annotation: Any) -> set[Any]:
    return {value for each in alternatives_of(annotation) if get_origin(each) is Literal for value in get_args(each)}


now = datetime(2031, 5, 8, 12, tzinfo=timezone.utc)
fields: dict[str, Any] = {
    "session": "s",
    "speaker": "Ana",
    "happened_at": now,
    "tags": ["a"],
    "metadata": {"n": 1.5, "b": True, "s": "x", "z": None},
    "expires_at": "2031-05-08T12:00:00+02:00",
}
search: dict[str, Any] = {
    "limit": 3,
    "namespace": "n",
    "tags": {"any": ["a"], "all": ["b"], "not": ["c"]},
    "context": 1,
    "min_score": 0.5,
    "explain": True,
    "rerank": True,
    "scoring_weights": dict.fromkeys(
        (
            *("semantic", "recency", "recency_half_life_days", "importance"),
            *("context", "session", "speaker", "date"),
        ),
        1.0,
    ),
    "include_pending": False,
}
uuid = "3f2b8c1e-7a4d-4e9b-8f00-1234567890ab"

# One call of each method that sends a request, with every argument
calls: dict[str, list[Callable[[MemRelay], Any]]] = {
    "POST /api/remember": [lambda c: c.remember("t", namespace="n", **fields)],
    "POST /api/remember/bulk": [lambda c: c.remember_bulk([RememberItem("t", "n", **fields)])],
    "POST /api/analyze": [lambda c: c.analyze("t", namespace="n", occurred_at=now, **fields)],
    "GET /api/memories/{id}": [lambda c: c.memory(uuid, namespace="n")],
    "POST /api/memories/{id}/replace": [
        lambda c: c.replace(uuid, "t", namespace="n", **fields),
        lambda c: c.replace(uuid, "t", namespace="n", **dict.fromkeys(fields)),
    ],
    "POST /api/forget": [lambda c: c.forget([uuid], namespace="n"), lambda c: c.forget_everything()],
    "POST /api/forget/preview": [lambda c: c.forget_preview([uuid], namespace="n")],
    "POST /api/recall": [lambda c: c.recall("q", **search)],
    "POST /api/ask": [lambda c: c.ask("q", **search), lambda c: list(c.ask_stream("q", **search))],
    "POST /api/profile": [lambda c: c.profile("Ana", limit=3, namespace="n", include_pending=False)],
    "POST /api/memories": [
        lambda c: c.memories_page(namespace="n", tags=search["tags"], texts=True, limit=3, cursor="c"),
        lambda c: list(c.memories(namespace="n", texts=True)),
    ],
    "POST /api/namespaces": [lambda c: c.namespaces()],
    "POST /api/stats": [lambda c: c.stats()],
    "GET /api/remember/{job_id}": [lambda c: c.job(uuid)],
    "POST /api/remember/bulk/status": [lambda c: c.jobs([uuid])],
    "POST /api/remember/{job_id}/retry": [lambda c: c.retry_job(uuid)],
    "POST /api/export": [lambda c: list(c.export_open(namespace="n"))],
    "POST /api/restore": [lambda c: c.restore(namespace="n", limit=5, trusted_writers=["ab" * 32])],
    "POST /api/reindex": [lambda c: c.reindex(namespace="n")],
    "POST /api/keys": [lambda c: c.keys()],
    "POST /api/keys/rewrap": [lambda c: c.rewrap_keys(after="ab" * 32)],
    "GET /api/account": [lambda c: c.account()],
    "GET /api/webhooks": [lambda c: webhooks.list_webhooks(c)],
    "POST /api/webhooks": [
        lambda c: webhooks.add_webhook(c, "https://a.example", events=["memory.failed"], namespaces=["n"])
    ],
    "DELETE /api/webhooks/{id}": [lambda c: webhooks.remove_webhook(c, uuid)],
    "POST /api/webhooks/{id}/test": [lambda c: webhooks.test_webhook(c, uuid)],
    "GET /api/webhooks/{id}/deliveries": [lambda c: webhooks.webhook_deliveries(c, uuid, limit=3)],
    "GET /health": [lambda c: c.health()],
    "GET /version": [lambda c: c.version()],
    "GET /config": [lambda c: c.config()],
}
# Bundles and later pages: tests/live uses these against a relayer
tested_live = {"POST /api/import"}
# Fields that this client never sends, and what it does instead
unsent_fields = {
    "idempotency_key": "the header is sent",
    "cursor": "the next pages of an operation",
    "dry_run": "the dashboard shows facts before it stores them",
    "everything": "never together with other fields",
    "ids": "never together with everything",
    "keys": "the relayer makes the wraps",
}


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if not unused_tags.intersection(operation.get("tags", [])):
                yield f"{method.upper()} {path}", operation


def test_every_route_has_a_method() -> None:
    assert {name for name, _ in operations()} == set(calls) | tested_live | unused_routes


class SentError(Exception):
    def __init__(self, request: httpx.Request) -> None:
        super().__init__()
        self.request = request


def refuse(request: httpx.Request) -> httpx.Response:
    raise SentError(request)


@pytest.mark.parametrize("route", sorted(calls))
def test_a_method_sends_what_its_route_describes(route: str) -> None:
    method, path = route.split(" ")
    operation = document["paths"][path][method.lower()]
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    sent_fields: set[str] = set()
    for call in calls[route]:
        with pytest.raises(SentError) as sent:
            call(client_for(refuse))
        request = sent.value.request
        assert request.method == method
        assert request.url.path == "/prefix" + path.replace("{id}", uuid).replace("{job_id}", uuid)
        described = {each.get("name", each.get("$ref", "").rsplit("/", 1)[-1]) for each in operation["parameters"]}
        assert ("x-enc-session" in request.headers) == ("encSession" in described)
        assert ("idempotency-key" in request.headers) == ("idempotencyKey" in described)
        assert ("x-signature" in request.headers) == ("accountId" in described)
        assert set(request.url.params) == described & {"namespace", "limit"}
        if schema is not None:
            body = json.loads(request.content)
            jsonschema.validate(body, {**schema, "components": document["components"]})
            sent_fields |= set(body)
            for name in ("tags", "scoring_weights"):
                if isinstance(body.get(name), dict):
                    assert set(body[name]) == set(schema["properties"][name]["properties"])
    if schema is not None:
        assert set(schema["properties"]) - set(unsent_fields) <= sent_fields
        assert sent_fields <= set(schema["properties"])
