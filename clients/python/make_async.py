"""Writes the asynchronous client from the synchronous one. `--check` only tells whether it is up to date."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

package = Path(__file__).parent / "src" / "memrelay"
config = Path(__file__).parent / "pyproject.toml"
names = ("client.py", "maintenance.py", "reading.py", "writing.py")

replacements = (
    (r"self\._run\(", "await self._run("),
    (r"for event in self\._events\(", "async for event in self._events("),
    (r"\bGenerator\[(.*), None, None\]", r"AsyncGenerator[\1, None]"),
    (r"\bGenerator\b", "AsyncGenerator"),
    (r"\bMemRelay\(", "AsyncMemRelay("),
    (r"\bSync(\w+)", r"Async\1"),
    (r"httpx\.Client\b", "httpx.AsyncClient"),
    (r"__enter__", "__aenter__"),
    (r"__exit__", "__aexit__"),
    (r"self\.close\(\)", "await self.close()"),
    (r"  # noqa: UP028", ""),
    (r"`with` block", "`async with` block"),
)
waits = re.compile(r"self\._run\(|self\._events\(|self\.close\(|def __enter__")


def asynchronous(source: str) -> str:
    """Return the asynchronous form of a file."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and waits.search("\n".join(lines[node.lineno - 1 : node.end_lineno])):
            lines[node.lineno - 1] = lines[node.lineno - 1].replace("def ", "async def ", 1)
    text = "\n".join(lines)
    for pattern, replacement in replacements:
        text = re.sub(pattern, replacement, text)
    text = sorted_imports(text)
    head, _, rest = text.partition("\n")
    return formatted(f"{head}\n\n# Written by make_async.py from sync_client: change that instead.\n{rest}")


def formatted(text: str) -> str:
    """Format a file like the others; a line may be longer or shorter than before."""
    command = [sys.executable, "-m", "ruff", "format", "--config", str(config), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=package).stdout


def sorted_imports(text: str) -> str:
    """Sort the names of `from collections.abc import`, as ruff wants them."""

    def sort(match: re.Match[str]) -> str:
        return match[1] + ", ".join(sorted(match[2].split(", ")))

    return re.sub(r"(from collections\.abc import )([\w, ]+)", sort, text)


def main() -> int:
    """Write the files, or compare them."""
    stale = []
    for name in names:
        text = asynchronous((package / "sync_client" / name).read_text())
        target = package / "async_client" / name
        if target.exists() and target.read_text() == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            target.write_text(text)
    print(f"{'stale' if '--check' in sys.argv else 'written'}: {', '.join(stale) or 'nothing'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
