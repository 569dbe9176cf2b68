"""What can be typed: commands and their options, in one place, without anything that loads long."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from cocluster import __version__

SHELLS = ("bash", "zsh", "fish")
FORMATS = ("html", "md", "json")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, **given: Any) -> None:
        # Abbreviations would turn an option of a method into one of the command.
        super().__init__(**given, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with how a command was typed, and leave."""
        line = " ".join(message.split())
        self.exit(2, f"{self.prog}: {line} (see {self.prog} --help)\n")


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """The command that was typed; ``rest`` holds options that only a method may know."""
    parser = commands()
    asked, rest = parser.parse_known_args(list(words))
    asked.words, asked.rest = list(words), rest
    if rest and asked.command != "fit":
        parser_of(parser, asked.command).error(f"unrecognized arguments: {' '.join(rest)}")
    return asked


def parser_of(parser: argparse.ArgumentParser, command: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    found: argparse.ArgumentParser = subcommands(parser)[command]
    return found


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """All commands by name."""
    action = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found: dict[str, argparse.ArgumentParser] = dict(action.choices)
    return found


def commands() -> Parser:
    """All commands."""
    parser = Parser(
        prog="cocluster",
        description="Group the rows and the columns of data at the same time.",
        epilog="Begin with: cocluster fit MYDATA",
    )
    parser.add_argument("--version", action="version", version=f"cocluster {__version__}")
    chosen = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _fit(_command(chosen, "fit", "read data, cluster them, write a project and a report"))
    _predict(_command(chosen, "predict", "put new samples into the clusters of a project"))
    _explain(_command(chosen, "explain", "what the clusters of a project are about"))
    _compare(_command(chosen, "compare", "what differs between two runs or two projects"))
    _edit(_command(chosen, "edit", "rename, merge and split clusters, move and part samples, undo"))
    _ask(_command(chosen, "ask", "answer questions about samples, then cluster again"))
    _serve(_command(chosen, "serve", "open the workbench: look at a project, edit it, answer"))
    _choose(_command(chosen, "choose-k", "how many clusters there are, and why"))
    _report(
        _command(chosen, "report", "write the report of a project anew, or as Markdown or JSON")
    )
    _convert(_command(chosen, "convert", "write data of any kind as .npz, .csv, .jsonl or .mtx"))
    _data(_command(chosen, "data", "list the data sets that can be fetched"))
    _methods(_command(chosen, "methods", "list the methods, or the options of one"))
    _json(_command(chosen, "doctor", "what is installed, and what is missing for what"))
    shell = _command(chosen, "completion", "print a script that completes what you type")
    shell.add_argument("shell", choices=SHELLS, help='for: eval "$(cocluster completion bash)"')
    return parser


def _command(chosen: Any, name: str, about: str) -> argparse.ArgumentParser:
    """A command with its line in the list."""
    added: argparse.ArgumentParser = chosen.add_parser(
        name, help=about, description=f"{about[0].upper()}{about[1:]}."
    )
    return added


def _fit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="file or folder of data (samples are rows), or a project")
    parser.add_argument("-k", "--clusters", type=_count, metavar="K", help="clusters of samples")
    parser.add_argument("--method", default="auto", help="see: cocluster methods")
    parser.add_argument("--column-clusters", type=_count, metavar="M", help="groups of features")
    parser.add_argument("--links", metavar="FILE", help="must-links and cannot-links")
    parser.add_argument("--out", metavar="FOLDER", help="where to write; NAME-cocluster by default")
    parser.add_argument("--force", action="store_true", help="replace the folder if it exists")
    parser.add_argument("--seed", type=int, default=0, help="the same seed, the same clusters")
    _json(parser)
    _reading(parser)
    parser.epilog = (
        "Options of a method, as `cocluster methods NAME` lists them, may be given, too. Without "
        "-k the number of clusters is chosen, and it is said why."
    )


def _predict(parser: argparse.ArgumentParser) -> None:
    _project(parser)
    parser.add_argument("path", help="file or folder of new samples")
    parser.add_argument("--view", action="append", metavar="NAME=FILE", help="a further view")
    parser.add_argument("--out", metavar="FILE", help="CSV file to write instead of printing")
    _json(parser)


def _explain(parser: argparse.ArgumentParser) -> None:
    _project(parser)
    parser.add_argument("cluster", nargs="?", help="number or name of a cluster; all by default")
    _run(parser)
    _json(parser)


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("first", help="a project, or one of its runs: PROJECT:2")
    parser.add_argument("second", nargs="?", help="another; by default the last run of the first")
    _json(parser)


def _edit(parser: argparse.ArgumentParser) -> None:
    _project(parser)
    what = parser.add_subparsers(dest="edit", metavar="EDIT", required=True)
    rename = what.add_parser("rename", help="give a cluster a name")
    rename.add_argument("cluster", help="its number or name")
    rename.add_argument("name", help="the new name")
    merge = what.add_parser("merge", help="make clusters one")
    merge.add_argument("clusters", nargs="+", metavar="CLUSTER", help="numbers or names")
    split = what.add_parser("split", help="part a cluster")
    split.add_argument("cluster", help="its number or name")
    split.add_argument("-n", "--parts", type=_count, default=2, help="in how many; 2 by default")
    part = what.add_parser("part", help="make some samples clusters of their own")
    part.add_argument("samples", nargs="+", metavar="SAMPLE", help="ids of samples")
    part.add_argument("-n", "--parts", type=_count, default=2, help="how many; 2 by default")
    move = what.add_parser("move", help="put samples into another cluster")
    move.add_argument("samples", nargs="+", metavar="SAMPLE", help="ids of samples")
    move.add_argument("--to", required=True, metavar="CLUSTER", help="number or name of a cluster")
    what.add_parser("undo", help="take the last edit back")
    _json(parser)


def _ask(parser: argparse.ArgumentParser) -> None:
    _project(parser)
    parser.add_argument("-n", "--questions", type=_count, default=20, help="at most; 20 by default")
    parser.add_argument(
        "--placements",
        action=argparse.BooleanOptionalAction,
        help="ask for the group of one sample, or of pairs; by default pairs if clusters are few",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="the same seed asks the same; for the first sitting"
    )


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", help="a project, or a file or folder of data to fit")
    parser.add_argument("--port", type=int, metavar="N", help="the first free one from 8765 on")
    parser.add_argument("--host", default="127.0.0.1", help="this machine alone by default")
    parser.add_argument(
        "--expose", action="store_true", help="let --host be one that others can reach"
    )
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="open the browser (the default)",
    )


def _choose(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="file or folder of data, or a project")
    parser.add_argument("--max", type=_count, metavar="K", help="largest number that is tried")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same choice")
    _json(parser)
    _reading(parser)


def _report(parser: argparse.ArgumentParser) -> None:
    _project(parser)
    _run(parser)
    parser.add_argument("--format", choices=FORMATS, default="html", help="html by default")
    parser.add_argument("--out", metavar="FILE", help="by default the report.html of the project")


def _convert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="file or folder of data, or a project")
    parser.add_argument("target", help="file to write: .npz, .csv, .jsonl or .mtx")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    _reading(parser)


def _data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", help="text, gene, image, ...")
    _json(parser)


def _methods(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="a method, to see its options")
    _json(parser)


def _project(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", help="folder that `cocluster fit` wrote")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", type=_count, metavar="N", help="which run; the last by default")


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def _reading(parser: argparse.ArgumentParser) -> None:
    """How a file is to be read; see `cocluster.io.readers.read`."""
    files = parser.add_argument_group("reading", "what columns are for, if it is not seen aright")
    for name, about in (
        ("id", "column that names the samples"),
        ("title", "column of titles"),
        ("label", "column of classes, which are only compared with"),
        ("sheet", "sheet of an Excel file"),
    ):
        files.add_argument(f"--{name}", metavar="COLUMN" if name != "sheet" else "NAME", help=about)
    for name, about in (
        ("text", "columns whose words are counted"),
        ("features", "columns of numbers or categories to cluster by"),
        ("categories", "columns of codes, each value of which becomes a column"),
        ("drop", "columns to leave out"),
    ):
        files.add_argument(f"--{name}", metavar="COLUMN,...", type=_names, help=about)
    files.add_argument("--long", metavar="USER,ITEM,VALUE", help="columns of a file of entries")
    files.add_argument("--dates", choices=("year", "month", "day"), help="make dates categories")
    files.add_argument("--header", action=argparse.BooleanOptionalAction, help="first row is names")
    files.add_argument("--view", action="append", metavar="NAME=FILE", help="a further view")
    words = parser.add_argument_group("counting words")
    words.add_argument("--stop-words", metavar="WHICH", help="languages, a file of words, or none")
    words.add_argument(
        "--min-df", type=_share, metavar="N", help="fewest texts (or share) of a word"
    )
    words.add_argument("--max-df", type=_share, metavar="N", help="most texts (or share) of a word")
    words.add_argument(
        "--min-letters", type=_count, metavar="N", help="shortest word; 2 by default"
    )
    words.add_argument("--bigrams", action="store_true", help="count pairs of words, too")
    words.add_argument("--headers", action="store_true", help="count words of mail headers")
    words.add_argument(
        "--boilerplate", action="store_true", help="count lines that many texts share"
    )


def _count(text: str) -> int:
    """A whole number from 1 on."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return number


def _share(text: str) -> int | float:
    """A number of texts, or a share of them."""
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor a share") from None


def _names(text: str) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in text.split(",")]
