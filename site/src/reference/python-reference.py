"""Prints the reference of the Python package as Markdown: what `memrelay` exports, from its docstrings. Needs griffe."""

import sys

import griffe

source = sys.argv[1]
package = griffe.load("memrelay", search_paths=[source], docstring_parser="google", resolve_aliases=True)


def target(name):
    member = package[name]
    return member.final_target if member.is_alias else member


def sections(thing):
    return thing.docstring.parse("google") if thing.docstring else []


def text_of(thing):
    return "\n\n".join(part.value for part in sections(thing) if part.kind.value == "text")


def signature(function, name):
    """On several lines if it is long, as formatters write it."""
    parts = []
    keyword_only = False
    for parameter in function.parameters:
        if parameter.name in ("self", "cls"):
            continue
        kind = parameter.kind.value
        if kind == "keyword-only" and not keyword_only:
            keyword_only = True
            parts.append("*")
        star = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        annotation = f": {parameter.annotation}" if parameter.annotation else ""
        plain = kind.startswith(("positional", "keyword"))
        default = f" = {parameter.default}" if plain and parameter.default is not None else ""
        parts.append(f"{star}{parameter.name}{annotation}{default}")
    returns = f" -> {function.returns}" if function.returns else ""
    prefix = "async def" if "async" in function.labels else "def"
    line = f"{prefix} {name}({', '.join(parts)}){returns}"
    if len(line) <= 100:
        return line
    return f"{prefix} {name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def cell(value):
    return " ".join(str(value).split()).replace("|", "\\|")


def details(thing):
    """The tables of a docstring: arguments, what is raised."""
    titles = {"parameters": ("Argument", "name"), "raises": ("Raises", "annotation")}
    for part in sections(thing):
        if part.kind.value in titles:
            title, key = titles[part.kind.value]
            yield f"| {title} | |\n| --- | --- |"
            yield "\n".join(f"| `{getattr(item, key)}` | {cell(item.description)} |" for item in part.value)


def function_lines(function, name, level):
    yield f"{'#' * level} `{name}`\n"
    yield f"```python\n{signature(function, name)}\n```\n"
    yield text_of(function) + "\n"
    rows = list(details(function))
    for head, body in zip(rows[::2], rows[1::2]):
        yield f"{head}\n{body}\n"


def members(thing):
    """Public ones: its own first, then those of its base classes in this package."""
    found = dict(thing.members)
    for base in thing.mro():
        found.update({name: member for name, member in base.members.items() if name not in found})
    return [(name, member) for name, member in found.items() if not name.startswith("_")]


def class_lines(name, thing):
    yield f"### `{name}`\n"
    bases = [str(base) for base in thing.bases if str(base) in things]
    if bases:
        yield f"Base: {', '.join(f'`{base}`' for base in bases)}\n"
    yield text_of(thing) + "\n"
    rows = list(details(thing))
    for head, body in zip(rows[::2], rows[1::2]):
        yield f"{head}\n{body}\n"
    fields = [(n, m) for n, m in members(thing) if m.is_attribute and n != "model_config"]
    if fields:
        yield "| Field | Type | |\n| --- | --- | --- |"
        types = {n: f"`{cell(m.annotation)}`" if m.annotation else "" for n, m in fields}
        yield "\n".join(f"| `{n}` | {types[n]} | {cell(text_of(m))} |" for n, m in fields) + "\n"
    for method_name, method in members(thing):
        if method.is_function:
            yield from function_lines(method, method_name, 4)


exported = [name for name in package.exports if not name.startswith("__")]
things = {str(name): target(str(name)) for name in exported}
clients = [n for n in things if n in ("MemRelay", "AsyncMemRelay")]
errors = [n for n, t in things.items() if t.is_class and (n.endswith("Error"))]
classes = [n for n, t in things.items() if t.is_class and n not in clients and n not in errors]
functions = [n for n, t in things.items() if t.is_function]
others = [n for n, t in things.items() if t.is_attribute]

out = ["# Python API\n", text_of(package) + " Everything on this page is imported from `memrelay`.\n"]
out += ["## Clients\n", "`AsyncMemRelay` has the same methods as `MemRelay`, as coroutines.\n"]
out += class_lines("MemRelay", things["MemRelay"])
out += ["## Functions\n"]
for name in functions:
    out += function_lines(things[name], name, 3)
out += ["## Errors\n"]
for name in errors:
    out += class_lines(name, things[name])
out += ["## Types\n"]
for name in classes:
    out += class_lines(name, things[name])
out += ["## Constants and aliases\n", "| Name | |\n| --- | --- |"]
out += [f"| `{name}` | {cell(text_of(things[name]))} |" for name in others]
print("\n".join(out))
