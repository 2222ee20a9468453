"""The asynchronous client against a running system."""

from __future__ import annotations

import contextlib

import anyio

from memrelay import AskResponse, AsyncMemRelay, open_bundle

from .conftest import credentials


def test_the_asynchronous_client_stores_finds_and_streams(namespace: str) -> None:
    async def main() -> None:
        async with AsyncMemRelay.connect(credentials, namespace=namespace) as mem:
            async with anyio.create_task_group() as group:
                for text in ("Ana keeps bees.", "Bo bakes bread.", "Cy cuts trees."):
                    group.start_soon(mem.remember_and_wait, text)
            found = await mem.recall("who keeps bees?")
            assert found.results[0].text == "Ana keeps bees."
            job_ids = await mem.remember_bulk(["One.", "Two."])
            assert {each.status for each in await mem.wait_for_jobs(job_ids, timeout=60)} == {"done"}
            assert len([entry async for entry in mem.memories(page_size=2)]) == 5
            events = [event async for event in mem.ask_stream("who keeps bees?")]
            assert isinstance(events[-1], AskResponse)
            assert events[-1].answer == "Ana keeps bees. [1]"
            async with contextlib.aclosing(mem.ask_stream("who keeps bees?")) as stream:
                async for _ in stream:
                    break
            parts = [
                part async for part in mem.export_bundle("a long passphrase", scrypt_log_n=10, namespace=namespace)
            ]
            bundle = open_bundle(b"".join(parts), "a long passphrase")
            results = [each.result async for part in mem.import_bundle(bundle) for each in part.memories]
            assert {each.status for each in results} == {"known"}
            assert (await mem.forget(namespace=namespace)).deleted == 5

    anyio.run(main)
