"""Commands and their options, without any import that loads slowly."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from cocluster import __version__

SHELLS = ("bash", "zsh", "fish")
FORMATS = ("html", "md", "json")


class Parser(argparse.ArgumentParser):
    """Argument parser whose errors are one line."""

    def __init__(self, **options: Any) -> None:
        # With abbreviations an option of a method could match an option of the command.
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Write a usage error in one line and exit with code 2."""
        line = " ".join(message.split())
        self.exit(2, f"{self.prog}: {line} (see {self.prog} --help)\n")


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command; ``rest`` holds the options that are left for the method."""
    parser = commands()
    args, method_options = parser.parse_known_args(list(words))
    args.words, args.rest = list(words), method_options
    if method_options and args.command != "fit":
        parser_of(parser, args.command).error(f"unrecognized arguments: {' '.join(method_options)}")
    return args


def parser_of(parser: argparse.ArgumentParser, command: str) -> argparse.ArgumentParser:
    """Return the parser of a command."""
    command_parser: argparse.ArgumentParser = subcommands(parser)[command]
    return command_parser


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of all commands by name."""
    action = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    parsers: dict[str, argparse.ArgumentParser] = dict(action.choices)
    return parsers


def commands() -> Parser:
    """Build the parser of all commands."""
    parser = Parser(
        prog="cocluster",
        description="Group the rows and the columns of data at the same time.",
        epilog="Begin with: cocluster fit MYDATA",
    )
    parser.add_argument("--version", action="version", version=f"cocluster {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _fit(_command(subparsers, "fit", "read data, cluster them, write a project and a report"))
    _predict(_command(subparsers, "predict", "put new samples into the clusters of a project"))
    _explain(_command(subparsers, "explain", "describe the clusters of a project"))
    _compare(_command(subparsers, "compare", "show what differs between two runs or two projects"))
    _edit(
        _command(
            subparsers, "edit", "rename, merge and split clusters, move and part samples, undo"
        )
    )
    _ask(_command(subparsers, "ask", "answer questions about samples, then cluster again"))
    _serve(_command(subparsers, "serve", "open the workbench: look at a project, edit it, answer"))
    _choose(
        _command(subparsers, "choose-k", "estimate the number of clusters and print the evidence")
    )
    _report(
        _command(subparsers, "report", "write the report of a project anew, or as Markdown or JSON")
    )
    _convert(
        _command(subparsers, "convert", "write data of any kind as .npz, .csv, .jsonl or .mtx")
    )
    _data(_command(subparsers, "data", "list the data sets that can be fetched"))
    _methods(_command(subparsers, "methods", "list the methods, or the options of one"))
    _json(
        _command(
            subparsers, "doctor", "show what is installed and which optional packages are missing"
        )
    )
    shell = _command(subparsers, "completion", "print a script that completes what you type")
    shell.add_argument("shell", choices=SHELLS, help='for: eval "$(cocluster completion bash)"')
    return parser


def _command(subparsers: Any, name: str, about: str) -> argparse.ArgumentParser:
    """Add a command with its line in the list."""
    added: argparse.ArgumentParser = subparsers.add_parser(
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
    parser.add_argument(
        "--seed", type=int, default=0, help="random seed; the same seed gives the same clusters"
    )
    _json(parser)
    _reading(parser)
    parser.epilog = (
        "Without -k, the number of clusters is estimated and the evidence is printed. You can also "
        "pass the options of a method; `cocluster methods NAME` lists them."
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
    parser.add_argument(
        "second",
        nargs="?",
        help="project or run to compare with; by default the last run of the first",
    )
    _json(parser)


def _edit(parser: argparse.ArgumentParser) -> None:
    _project(parser)
    edits = parser.add_subparsers(dest="edit", metavar="EDIT", required=True)
    rename = edits.add_parser("rename", help="give a cluster a name")
    rename.add_argument("cluster", help="its number or name")
    rename.add_argument("name", help="the new name")
    merge = edits.add_parser("merge", help="merge clusters into one")
    merge.add_argument("clusters", nargs="+", metavar="CLUSTER", help="numbers or names")
    split = edits.add_parser("split", help="split a cluster into several")
    split.add_argument("cluster", help="its number or name")
    split.add_argument(
        "-n", "--parts", type=_count, default=2, help="number of new clusters; 2 by default"
    )
    part_samples = edits.add_parser("part", help="move samples into new clusters")
    part_samples.add_argument("samples", nargs="+", metavar="SAMPLE", help="ids of samples")
    part_samples.add_argument(
        "-n", "--parts", type=_count, default=2, help="number of new clusters; 2 by default"
    )
    move = edits.add_parser("move", help="put samples into another cluster")
    move.add_argument("samples", nargs="+", metavar="SAMPLE", help="ids of samples")
    move.add_argument("--to", required=True, metavar="CLUSTER", help="number or name of a cluster")
    edits.add_parser("undo", help="undo the last edit")
    _json(parser)


def _ask(parser: argparse.ArgumentParser) -> None:
    _project(parser)
    parser.add_argument(
        "-n", "--questions", type=_count, default=20, help="most questions; 20 by default"
    )
    parser.add_argument(
        "--placements",
        action=argparse.BooleanOptionalAction,
        help="ask for the group of one sample; by default about pairs if clusters are few",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="random seed of the first session; the same seed asks the same questions",
    )


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", help="a project, or a file or folder of data to fit")
    parser.add_argument(
        "--port", type=int, metavar="N", help="port; by default the first free one from 8765"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on; only this machine by default"
    )
    parser.add_argument(
        "--expose", action="store_true", help="allow a --host that other machines can reach"
    )
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="open the browser (the default)",
    )


def _choose(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="file or folder of data, or a project")
    parser.add_argument("--max", type=_count, metavar="K", help="largest number of clusters to try")
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
    parser.add_argument(
        "--run", type=_count, metavar="N", help="number of the run; the last by default"
    )


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def _reading(parser: argparse.ArgumentParser) -> None:
    """Add the options of `cocluster.io.read`."""
    files = parser.add_argument_group("reading", "Column roles (override what was detected)")
    for name, about in (
        ("id", "column that names the samples"),
        ("title", "column of titles"),
        ("label", "column of classes, used for comparison only"),
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
    files.add_argument("--dates", choices=("year", "month", "day"), help="use dates as categories")
    files.add_argument(
        "--header", action=argparse.BooleanOptionalAction, help="the first row holds column names"
    )
    files.add_argument("--view", action="append", metavar="NAME=FILE", help="a further view")
    words = parser.add_argument_group("counting words")
    words.add_argument("--stop-words", metavar="WHICH", help="languages, a file of words, or none")
    words.add_argument(
        "--min-df",
        type=_share,
        metavar="N",
        help="fewest texts (or share of texts) that contain a word",
    )
    words.add_argument(
        "--max-df",
        type=_share,
        metavar="N",
        help="most texts (or share of texts) that contain a word",
    )
    words.add_argument(
        "--min-letters", type=_count, metavar="N", help="shortest word; 2 by default"
    )
    words.add_argument("--bigrams", action="store_true", help="count pairs of words, too")
    words.add_argument("--headers", action="store_true", help="count words of mail headers")
    words.add_argument(
        "--boilerplate", action="store_true", help="count the words of lines that many texts share"
    )


def _count(text: str) -> int:
    """Parse a positive integer."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return number


def _share(text: str) -> int | float:
    """Parse a number of texts, or a share of them."""
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor a share") from None


def _names(text: str) -> list[str]:
    """Parse names separated by commas."""
    return [name.strip() for name in text.split(",")]
