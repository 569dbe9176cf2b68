"""Pages that the library writes itself, so that they cannot grow old.

The table of methods, which pages include; all commands with their options; the schema of an
account; and the public names of each module. Git does not know them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from public import MODULES, names_of, public


def methods() -> Iterator[str]:
    """The catalogue as a table."""
    from cocluster.methods.catalogue import as_markdown

    yield as_markdown()


def commands() -> Iterator[str]:
    """Every command with its help, from the parser that reads it."""
    from cocluster.cli.parser import commands as parser
    from cocluster.cli.parser import subcommands

    yield COMMANDS
    for name, command in subcommands(parser()).items():
        command.formatter_class = _Wide
        yield f"## cocluster {name}\n\n```text\n{command.format_help()}```\n"


def schema() -> Iterator[str]:
    """What an account holds, part by part."""
    from cocluster import Account

    yield SCHEMA
    for name, part in Account.schema()["$defs"].items():
        about = part.get("description", "").strip().split("\n\n")[0]
        yield f"(account-{name.lower()})=\n## {name}\n\n{about}\n\n| name | type |\n|---|---|"
        for key, value in part.get("properties", {}).items():
            yield f"| `{key}` | {_type(value)} |"
        yield ""


def http() -> Iterator[str]:
    """What the workbench can be asked for, from the table that its routes are made of."""
    from cocluster.web.api import PREFIX, Endpoint
    from cocluster.web.routes import ENDPOINTS

    yield HTTP

    def fields(one: Endpoint) -> str:
        return ", ".join(f"`{name}`" for name in one.asked.__struct_fields__)

    for one in ENDPOINTS:
        yield f"| {one.method} | `{PREFIX}{one.path}` | {one.about} | {fields(one)} |"


def names() -> Iterator[str]:
    """Every public name, each with a page of its own; in reST, which autosummary reads."""
    yield _title("Every public name", "=") + NAMES
    for module, about in MODULES.items():
        yield _title(about, "-") + f".. currentmodule:: {module}\n"
        yield ".. autosummary::\n   :toctree: api\n   :template: name.rst\n"
        yield from (f"   {name}" for name in names_of(module))
        yield ""


# Where each goes, below docs/.
PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "_written/methods.md": methods,
    "reference/command-line.md": commands,
    "reference/account.md": schema,
    "reference/http.md": http,
    "reference/names.rst": names,
}
COMMANDS = """\
# The command line

`pip install cocluster` brings the command `cocluster`. This page is written from the parser itself.
Every command prints help with `--help`, and JSON for programs with `--json`. It ends with 0 if all
went well, with 1 if the data or the options do not fit, with 2 if it was typed wrongly.
"""
SCHEMA = """\
# What an account holds

`cocluster.account(model, data)` puts all that is to be told of a fit into one plain value: the
report, the Markdown, the JSON and the tables are made from it. `account.to_json()` follows this
schema, which `Account.schema()` gives as [JSON Schema](https://json-schema.org). This page is
written from it.
"""
HTTP = """\
# The HTTP interface of the workbench

`cocluster serve PROJECT` answers these, and nothing else. Every request needs the cookie of the
page: open the printed address once, its token is exchanged for it. What is asked stands in the
address, or, for POST, in a JSON body. Answers are JSON; a refusal is `{"error": "a sentence"}` with
404 (not there), 409 (something else is at work) or 422 (it cannot be done).
`/api/v1/openapi.json` has the same for programs, and `/api/v1/events` sends a line whenever
something has changed.

| method | address | what | fields |
|---|---|---|---|"""
NAMES = """\
All of these can be relied on: they change only with a line in the :doc:`changelog
</project/CHANGELOG>`. Other names are for those who work on the library.

"""


def _title(words: str, line: str) -> str:
    """A heading of reST."""
    return f"{words}\n{line * len(words)}\n\n"


class _Wide(argparse.HelpFormatter):
    """Help of the same width on every terminal."""

    def __init__(self, prog: str, **given: Any) -> None:
        # What a page shows without a bar to scroll by.
        super().__init__(prog, **{**given, "width": 92})


def _type(value: dict[str, Any]) -> str:
    """A type of the schema in words."""
    if "$ref" in value:
        name = value["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#account-{name.lower()})"
    if "anyOf" in value:
        return " or ".join(_type(each) for each in value["anyOf"])
    kind = value.get("type")
    if kind == "array":
        return f"list of {_type(value['items'])}" if value.get("items") else "list"
    if kind == "object" and isinstance(value.get("additionalProperties"), dict):
        return f"mapping of name to {_type(value['additionalProperties'])}"
    if "enum" in value:
        return " or ".join(f"`{json.dumps(each)}`" for each in value["enum"])
    return " or ".join(kind) if isinstance(kind, list) else str(kind or "anything")


def write(app: Any) -> None:
    """Write what changed, and remove pages of names that are gone; the rest is not built again."""
    known = set(public())
    for old in (Path(app.srcdir) / "reference" / "api").glob("*.rst"):
        if old.stem.removesuffix("-class") not in known:
            old.unlink()
    for name, page in PAGES.items():
        put(Path(app.srcdir) / name, "\n".join(page()) + "\n")


def tell_programs(app: Any, exception: Exception | None) -> None:
    """Put ``llms.txt`` at the address of the site, with the addresses that pages have there."""
    listed = (Path(app.srcdir) / "llms.txt").read_text(encoding="utf-8")
    put(Path(app.outdir) / "llms.txt", listed.replace(".md)", ".html)"))


def put(path: Path, text: str) -> None:
    """Write a file unless it has this text already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before autosummary looks for names in the pages (it comes at 500)."""
    app.connect("builder-inited", write, priority=100)
    app.connect("build-finished", tell_programs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
