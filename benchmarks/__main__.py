"""Run a table or a figure of a paper again, published beside ours, or write the page of a paper.

    python -m benchmarks reproduce wang2011/table2 [--quick]
    python -m benchmarks reproduce wang2011
    python -m benchmarks reproduce summary
    python -m benchmarks ratings [--movielens ml-100k/u.data]
    python -m benchmarks asking [--seeds 3]
    python -m benchmarks faults [--kills 200] [--only fit ask]

To be called in the top folder of a checkout. What is done is not run again, so an interrupted
command goes on where it ended. The page is written in any case, with what is there.
Predictions of ratings have a page of their own, see `benchmarks.ratings`; what happens to commands
that are killed is told by `benchmarks.faults`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from benchmarks import ratings
from benchmarks.packs import packed_afterwards
from benchmarks.papers.reproduce import Work, find

# As shells and argparse have them: an error, a wrong command, and 128 + 2, the number of SIGINT.
FAILED, USAGE, INTERRUPTED = 1, 2, 130
# Lines are as long as what they say, also in a pipe.
console = Console(soft_wrap=True)


def reproduce(name: str, work: Work, quick: bool) -> None:
    """Run what is not there yet, show how far it is, and write the page or the picture."""
    work.require(quick)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with packed_afterwards(work.folder):
        try:
            with Progress(*columns, TimeElapsedColumn(), console=console) as bar:
                task = bar.add_task(name)

                def show(what: str, done: int, total: int) -> None:
                    bar.update(task, description=what, completed=done, total=total)

                work.run(quick, show)
                bar.update(task, description=name, completed=bar.tasks[0].total)
        finally:
            # An interrupted run has its page too, with what was done.
            console.print(f"written to {escape(str(work.write(quick)))}")


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words of the command line say; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="reproduce|ratings|asking|faults")
    command = commands.add_parser("reproduce", help="run a table or figure, or write a page")
    command.add_argument("name", help="such as wang2011/table2, chen2008/figure1, or li2012")
    command.add_argument("--quick", action="store_true", help="a small part, in minutes")
    command.set_defaults(act=_reproduce)
    command = commands.add_parser("ratings", help="predict ratings, ours and those of Surprise")
    command.add_argument("--movielens", type=Path, metavar="u.data", help="MovieLens-100k, too")
    command.set_defaults(act=_ratings)
    command = commands.add_parser("asking", help="what answers do, on eight sets")
    command.add_argument("--seeds", type=int, default=3)
    command.set_defaults(act=_asking)
    command = commands.add_parser("faults", help="kill commands while they write")
    command.add_argument("--kills", type=int, default=200, help="of each, in all runs")
    command.add_argument("--only", nargs="+", default=(), metavar="COMMAND", help="such as fit")
    command.add_argument("--seed", type=int, default=0, help="of the moments")
    command.add_argument("--out", type=Path, metavar="FILE", help="the table to write")
    command.set_defaults(act=_faults)
    asked = parser.parse_args(words)
    return int(asked.act(asked))


def _ratings(asked: argparse.Namespace) -> int:
    """Run the benchmark of ratings; returns the exit code."""
    try:
        ratings.main(asked.movielens)
    except (ValueError, OSError) as error:
        return complain(error, FAILED)
    return 0


def _asking(asked: argparse.Namespace) -> int:
    """Run the interviews that are not there yet, and write their page; returns the exit code."""
    # Only here: scikit-learn and matplotlib take their time.
    from benchmarks.asking import page, run

    try:
        run.run(range(asked.seeds), lambda text: console.print(escape(text)))
    except KeyError:
        return complain(ValueError("Set COCLUSTER_DATA to the folder of the data sets."), FAILED)
    finally:
        if run.rows():
            page.write()
    console.print(f"written to {escape(str(run.RESULTS / 'asking.md'))}")
    return 0


def _faults(asked: argparse.Namespace) -> int:
    """Kill commands, and say what went wrong; returns the exit code."""
    from benchmarks.faults import run

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    try:
        with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
            task = bar.add_task("faults", total=None)

            def show(what: str, done: int, total: int) -> None:
                bar.update(task, description=what, completed=done, total=total)

            file = asked.out or run.RESULTS
            troubles = run.run(asked.kills, asked.only, asked.seed, file, show)
    except (ValueError, OSError) as error:
        return complain(error, FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    for trouble in troubles:
        console.print(escape(trouble))
    console.print(f"written to {escape(str(file))}")
    return FAILED if troubles else 0


def _reproduce(asked: argparse.Namespace) -> int:
    """Run what a paper shows; returns the exit code."""
    try:
        work = find(asked.name)
    except ValueError as error:
        return complain(error, USAGE)
    try:
        reproduce(asked.name, work, asked.quick)
    except (ValueError, OSError) as error:
        return complain(error, FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def complain(error: Exception, code: int) -> int:
    """Say what is wrong, without a traceback; returns the exit code."""
    Console(stderr=True, soft_wrap=True).print(f"[red]error[/] {escape(str(error))}")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
