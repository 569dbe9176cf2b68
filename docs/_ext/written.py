"""Generate pages from the library itself, so that they are always up to date.

The pages are the table of methods, which other pages include; the commands with their options; the
schema of an account; the HTTP interface; and the public names of each module. They are not in Git.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from public import MODULES, public, public_names


def methods() -> Iterator[str]:
    """Yield the catalogue of methods as a Markdown table."""
    from cocluster.methods.catalogue import as_markdown

    yield as_markdown()


def commands() -> Iterator[str]:
    """Yield the help of every command, taken from the parser."""
    from cocluster.cli.parser import commands as parser
    from cocluster.cli.parser import subcommands

    yield COMMANDS
    for name, command in subcommands(parser()).items():
        command.formatter_class = _Wide
        yield f"## cocluster {name}\n\n```text\n{command.format_help()}```\n"


def schema() -> Iterator[str]:
    """Yield the fields of an account, section by section."""
    from cocluster import Account

    yield SCHEMA
    for name, part in Account.schema()["$defs"].items():
        about = part.get("description", "").strip().split("\n\n")[0]
        yield f"(account-{name.lower()})=\n## {name}\n\n{about}\n\n| name | type |\n|---|---|"
        for key, value in part.get("properties", {}).items():
            yield f"| `{key}` | {_type(value)} |"
        yield ""


def http() -> Iterator[str]:
    """Yield the HTTP interface of the workbench from its endpoint table."""
    from cocluster.web.api import PREFIX, Endpoint
    from cocluster.web.routes import ENDPOINTS

    yield HTTP

    def fields(one: Endpoint) -> str:
        return ", ".join(f"`{name}`" for name in one.asked.__struct_fields__)

    for one in ENDPOINTS:
        yield f"| {one.method} | `{PREFIX}{one.path}` | {one.about} | {fields(one)} |"


def names() -> Iterator[str]:
    """Yield the list of public names in reST; autosummary creates a page for each."""
    yield _title("Python API", "=") + NAMES
    for module, about in MODULES.items():
        yield _title(about, "-") + f".. currentmodule:: {module}\n"
        yield ".. autosummary::\n   :toctree: api\n   :template: name.rst\n"
        yield from (f"   {name}" for name in public_names(module))
        yield ""


# The generator of each page, by the path of the page below docs/.
PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "_written/methods.md": methods,
    "reference/command-line.md": commands,
    "reference/account.md": schema,
    "reference/http.md": http,
    "reference/names.rst": names,
}
COMMANDS = """\
# The command line

Installing the package ([how to install](../start/install.md)) adds the command `cocluster`. This
page is generated from its parser. Every command prints help with `--help`, and JSON for programs
with `--json`. The exit code is 0 on success, 1 if the data or the options are invalid, and 2 for
a usage error.
"""
SCHEMA = """\
# Fields of an account

`cocluster.account(model, data)` collects all results of a fit in one object, the *account*. The
report, the Markdown, the JSON and the tables are generated from it. `account.to_json()` follows the
schema on this page, which `Account.schema()` returns as [JSON Schema](https://json-schema.org).
"""
HTTP = """\
# The HTTP interface of the workbench

`cocluster serve PROJECT` answers the requests on this page. Every request needs the session
cookie: open the printed address once, and its token is exchanged for the cookie. Pass parameters
in the query string, or in a JSON body for POST. Responses are JSON. An error is `{"error": "a
sentence"}` with the status 404 (not found), 409 (another operation is running) or 422 (invalid
request). `/api/v1/openapi.json` contains the same description for programs, and `/api/v1/events`
sends a line whenever the project changes.

| method | address | description | fields |
|---|---|---|---|"""
NAMES = """\
These names are public: every change to them is listed in the :doc:`changelog </project/CHANGELOG>`.
All other names are internal.

"""


def _title(words: str, line: str) -> str:
    """Return a reST heading."""
    return f"{words}\n{line * len(words)}\n\n"


class _Wide(argparse.HelpFormatter):
    """A help formatter with a fixed width, independent of the terminal."""

    def __init__(self, prog: str, **options: Any) -> None:
        # 92 characters fit the text column of a page without a scroll bar.
        super().__init__(prog, **{**options, "width": 92})


def _type(value: dict[str, Any]) -> str:
    """Describe a type of the JSON schema in words."""
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
    """Write the pages that have changed, and remove the pages of names that no longer exist."""
    documented = set(public())
    for old in (Path(app.srcdir) / "reference" / "api").glob("*.rst"):
        if old.stem.removesuffix("-class") not in documented:
            old.unlink()
    for name, page in PAGES.items():
        put(Path(app.srcdir) / name, "\n".join(page()) + "\n")


def write_llms_txt(app: Any, exception: Exception | None) -> None:
    """Write ``llms.txt`` to the root of the site, with links to the HTML pages."""
    text = (Path(app.srcdir) / "llms.txt").read_text(encoding="utf-8")
    put(Path(app.outdir) / "llms.txt", text.replace(".md)", ".html)"))


def put(path: Path, text: str) -> None:
    """Write a file unless it already contains this text."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register `write` before autosummary, which reads the pages at priority 500."""
    app.connect("builder-inited", write, priority=100)
    app.connect("build-finished", write_llms_txt)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
