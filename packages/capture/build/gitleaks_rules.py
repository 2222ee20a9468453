"""Writes src/gitleaks-rules.json from gitleaks' published rule set (config/gitleaks.toml, MIT).

    python3 packages/capture/build/gitleaks_rules.py path/to/gitleaks.toml VERSION

The patterns are written for Go. Here they become patterns that JavaScript reads the same way, with three differences, each of
which masks more rather than less: a pattern with a case-insensitive part ignores case everywhere, the list of English stop
words is left out, and rules without exceptions of their own have none. Rules that apply only to files of a certain name are
left out, because a conversation has no file names.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

PREFIX = r"[\w.-]{0,50}?"


def javascript(pattern: str) -> tuple[str, str]:
    """The pattern and its flags."""
    flags = "gi" if "(?i" in pattern else "g"
    for go, js in [
        ("(?i)", ""),
        ("(?i:", "(?:"),
        ("(?-i:", "(?:"),
        ("(?s:.)", r"[\s\S]"),
        (r"\z", "$"),
        ("[[:alnum:]]", "[A-Za-z0-9]"),
        (r"\x60", "`"),
        # Go matches in linear time, JavaScript does not
        (".*?", ".{0,200}?"),
        (".*", ".{0,200}"),
    ]:
        pattern = pattern.replace(go, js)
    # Named groups name parts of the secret, not the secret
    pattern = re.sub(r"\(\?P<\w+>", "(?:", pattern)
    assert "[^]" not in pattern, pattern
    assert not re.search(r"\(\?[a-z-]+[:)]", pattern), pattern
    return pattern, flags


def rule_of(rule: dict) -> dict:
    pattern, flags = javascript(rule["regex"])
    generic = rule["id"] == "generic-api-key"
    if not generic:
        # What comes before the name of the service is no part of the secret
        pattern = pattern.removeprefix(PREFIX).replace("(?:" + PREFIX, "(?:", 1)
    found = {"kind": rule["id"], "keywords": rule["keywords"], "pattern": pattern, "flags": flags}
    if "entropy" in rule:
        found["entropy"] = rule["entropy"]
    if "secretGroup" in rule:
        found["group"] = rule["secretGroup"]
    if generic:
        by_match = [each for each in rule["allowlists"] if each.get("regexTarget") == "match"]
        found["notInMatch"] = javascript(by_match[0]["regexes"][0])[0]
        found["notSecret"] = rule["allowlists"][0]["regexes"][0]
    return found


def main(source: str, version: str) -> None:
    rules = tomllib.loads(Path(source).read_text())["rules"]
    kept = [rule_of(rule) for rule in rules if "path" not in rule]
    target = Path(__file__).parent.parent / "src" / "gitleaks-rules.json"
    head = {"source": f"gitleaks {version}, config/gitleaks.toml", "licence": "MIT, see NOTICE"}
    lines = ",\n".join(f"    {json.dumps(each)}" for each in kept)
    target.write_text(f'{{\n  "source": {json.dumps(head["source"])},\n  "licence": {json.dumps(head["licence"])},\n  "rules": [\n{lines}\n  ]\n}}\n')
    print(f"{len(kept)} of {len(rules)} rules, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
