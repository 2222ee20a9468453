"""The check of audit logs, with the vectors of the TypeScript client (packages/sdk/test/audit-vectors.test.ts)."""

from __future__ import annotations

from typing import Any

import anyio
import httpx
import pytest

from memrelay import MemRelayError
from memrelay.audit import AuditEntry, AuditHead, SeenHead, canonical_json, check_audit, read_audit, read_audit_async

from .shared import account_id, async_client_for, client_for, read_json

cases: list[Any] = read_json("packages/sdk/vectors/audit-v1.json")


@pytest.mark.parametrize("case", cases, ids=[each["name"] for each in cases])
def test_finds_the_same_problems(case: dict[str, Any]) -> None:
    entries = [AuditEntry.model_validate(each) for each in case["entries"]]
    seen = SeenHead.model_validate(case["seen"]) if "seen" in case else None
    problems = check_audit(entries, AuditHead.model_validate(case["head"]), seen)
    assert [{"kind": each.kind, "seq": each.seq} for each in problems] == case["problems"]


def answering(case: dict[str, Any], page_size: int = 3) -> Any:
    def answer(request: httpx.Request) -> httpx.Response:
        start = int(request.url.params["cursor"])
        part = case["entries"][start : start + page_size]
        end = start + len(part)
        more = {"next_cursor": str(end)} if end < len(case["entries"]) else {}
        return httpx.Response(200, json={"entries": part, "head": case["head"]} | more)

    return answer


def test_reads_all_pages_with_both_clients() -> None:
    assert cases[0]["head"]["account_id"] == account_id
    audit = read_audit(client_for(answering(cases[0])))
    assert [each.seq for each in audit.entries] == [1, 2, 3, 4]
    assert audit.problems == []
    again = read_audit(client_for(answering(cases[0])), seen=SeenHead.model_validate_json(audit.seen.model_dump_json()))
    assert again.problems == []

    async def main() -> None:
        async with async_client_for(answering(cases[0])) as mem:
            assert (await read_audit_async(mem, seen=audit.seen)).entries == audit.entries

    anyio.run(main)
    other = read_audit(client_for(answering(cases[0]), account_id="0x" + "0b" * 32))
    assert [each.kind for each in other.problems] == ["other_account"]


def test_rejects_a_response_of_another_form() -> None:
    wrong = {"entries": [cases[0]["entries"][0] | {"seq": "1"}], "head": cases[0]["head"]}
    with pytest.raises(MemRelayError) as error:
        read_audit(client_for(lambda _: httpx.Response(200, json=wrong)))
    assert error.value.code == "invalid_response"


@pytest.mark.parametrize("value", [None, 0.5, 2**53, -(2**53), float("nan"), "\ud800", {"a": None}, [b"x"]])
def test_has_no_canonical_form_for(value: Any) -> None:
    with pytest.raises(ValueError, match=r"form|surrogates"):
        canonical_json(value)
