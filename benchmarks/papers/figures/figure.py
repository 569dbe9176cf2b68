"""What a figure of a paper is: runs that are kept, a picture, and a caption."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Finding:
    """Something the paper sees, in how many cases ours shows it, and what to compare this with."""

    text: str
    held: int
    cases: int
    beside: str = ""

    @property
    def share(self) -> float:
        """Share of the cases; nothing was seen if there are none."""
        return self.held / self.cases if self.cases else 0.0

    def __str__(self) -> str:
        beside = f" ({self.beside})" if self.beside else ""
        return f"{self.text}: {self.held} of {self.cases}{beside}"


def verdict(findings: list[Finding]) -> str:
    """Whether ours agrees: all findings hold in nine cases of ten, or only some, or none."""
    if all(finding.share >= 0.9 for finding in findings):
        return "Agrees."
    if any(finding.share >= 0.5 for finding in findings):
        return "Agrees in part."
    return "Does not agree."


@dataclass(frozen=True, kw_only=True)
class Figure(ABC):
    """A figure of a paper.

    Attributes
    ----------
    paper, number, title : str
    shows : str
        What the paper shows, one or two sentences.
    remark : str
        What is different here, or left open by the paper.
    changed : str
        What was changed after first results had been seen.
    """

    paper: str
    number: str
    title: str
    shows: str
    remark: str = ""
    changed: str = ""

    @property
    def name(self) -> str:
        """As in ``python -m benchmarks reproduce NAME``."""
        return f"{self.paper}/figure{self.number}"

    @property
    def runs(self) -> str:
        """The name of the table with its runs."""
        return f"figure{self.number}.csv"

    def picture(self, folder: Path) -> Path:
        """Where the picture is."""
        return folder / f"figure{self.number}.png"

    @abstractmethod
    def require(self, quick: bool) -> None:
        """Say which data file is missing before any run."""

    @abstractmethod
    def run(self, folder: Path, quick: bool, report: Report) -> None:
        """Run what is not yet there, with ``report(what, done, total)`` before each run."""

    @abstractmethod
    def draw(self, folder: Path) -> Path:
        """Draw what is there."""

    @abstractmethod
    def findings(self, folder: Path) -> list[Finding]:
        """What ours shows of what the paper sees."""

    @abstractmethod
    def made(self, folder: Path) -> str:
        """How the runs were made."""

    def caption(self, folder: Path) -> str:
        """What the paper shows, what ours shows, and whether it agrees."""
        findings = self.findings(folder)
        seen = "; ".join(str(finding) for finding in findings)
        parts = [f"**The paper:** {self.shows}", f"**Ours:** {seen}.", f"**{verdict(findings)}**"]
        changed = f"Changed after first results had been seen: {self.changed}"
        told = (self.remark, changed if self.changed else "", self.made(folder))
        notes = " ".join(part for part in told if part)
        return " ".join([*parts, notes]).rstrip()
