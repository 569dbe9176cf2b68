"""The workbench in a real browser: every view, every edit, by keyboard, and after a crash."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

pytest.importorskip("starlette")

from cocluster.projects import open_project
from cocluster.web.launch import write_redirect
from tests.web.projects import made

pytestmark = pytest.mark.browser
# Seconds until a server must have said its address: the imports of a slow machine.
PATIENCE = 120
VIEWS = ("overview", "run", "matrix", "clusters", "map", "ask", "links", "compare")
# What shows that a view is complete.
READY = {
    "overview": "canvas[data-piece]",
    "run": "#method option",
    "matrix": "canvas[data-piece]",
    "clusters": ".card",
    "map": "canvas.plane",
    "ask": ".answers",
    "links": "#filter",
    "compare": "#compared",
}


class Workbench:
    """A server in a process of its own, and a page that nothing may leave."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.troubles: list[str] = []
        self.start()

    def start(self) -> None:
        """Start the command, and open the address that it prints."""
        # As most have it: what is printed waits in a buffer until it is sent.
        buffered = {name: os.environ[name] for name in os.environ if name != "PYTHONUNBUFFERED"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cocluster", "serve", str(self.folder), "--no-open", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=buffered,
            text=True,
        )
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], PATIENCE)[0], "no address was printed"
        self.address = self.process.stdout.readline().strip()
        self.base = self.address.partition("/?")[0]
        self.context: Any = None
        self.page = self.opened()
        # As `cocluster serve` opens it: by a file that leads to the address.
        with TemporaryDirectory() as folder:
            self.page.goto(write_redirect(Path(folder), self.address).as_uri())
            self.page.wait_for_selector("nav")

    def opened(self, width: int = 1280, scheme: str = "light", **more: Any) -> Any:
        """A page; others share its cookie."""
        known = None if self.context is None else self.context.storage_state()
        context = self.browser.new_context(
            viewport={"width": width, "height": 860},
            color_scheme=scheme,
            storage_state=known,
            accept_downloads=True,
            **more,
        )
        if self.context is None:
            self.context = context
        context.set_default_timeout(30_000)
        context.route("**/*", self._decide)
        page = context.new_page()
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", self._said)
        return page

    def _said(self, message: Any) -> None:
        # That the server is gone is part of a test; all else is a fault.
        if message.type == "error" and "net::ERR_" not in message.text:
            self.troubles.append(message.text)

    def _decide(self, route: Any) -> None:
        address = route.request.url
        if address.startswith((self.base, "data:", "blob:", "file:")):
            route.continue_()
        else:
            self.troubles.append(f"a request left: {address}")
            route.abort()

    def go(self, view: str, page: Any = None) -> Any:
        """Go to a view, and wait until it is complete."""
        page = page or self.page
        page.goto(f"{self.base}/#{view}")
        page.wait_for_selector(READY[view.partition("/")[0]], state="attached")
        return page

    def close(self) -> None:
        """Close the pages, which the server would wait for, and end it."""
        self.context.close()
        self.stop()

    def stop(self, how: int = signal.SIGTERM) -> None:
        """End the server."""
        self.process.send_signal(how)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def bench(browser: Any, tmp_path: Path) -> Iterator[Workbench]:
    """A project and a server for one test alone: each may run without the others, in any order."""
    folder = tmp_path / "news"
    # Four subjects in five clusters, so that there is something to ask and to mend.
    made(folder, n=120, k=5)
    started = Workbench(browser, folder)
    yield started
    started.close()
    assert started.troubles == []


def answers(bench: Workbench) -> int:
    """Answers in force, read from the folder."""
    return sum(source == "ask" for source in open_project(bench.folder).ledger.steps().values())


def told(bench: Workbench, text: str) -> None:
    """Wait for a message."""
    bench.page.locator(".news p", has_text=re.compile(text)).wait_for()


def rename(bench: Workbench, place: int, name: str) -> None:
    """Give a cluster a name in the view of the clusters, and wait until it has it."""
    field = bench.page.locator("input[id^=name-]").nth(place)
    field.fill(name)
    field.press("Enter")
    told(bench, f"is called {name}")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_view_fits_and_axe_finds_nothing(
    bench: Workbench, axe: Path, width: int, scheme: str
):
    page = bench.opened(width, scheme, bypass_csp=True)
    for view in VIEWS:
        bench.go(view, page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        page.evaluate(axe.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run()")["violations"]
        assert [(view, one["id"], one["nodes"][0]["html"]) for one in found] == []
        shots = os.environ.get("COCLUSTER_SHOTS")
        if shots:
            page.screenshot(path=Path(shots) / f"{view}-{width}-{scheme}.png")
    page.context.close()


def test_text_of_the_data_is_text(bench: Workbench):
    bench.go("clusters")
    bench.page.locator(".members", has_text="onerror").first.wait_for()
    bench.go("ask").locator(".sample h3", has_text="onerror").first.wait_for()
    assert "taken over" not in bench.page.title()
    assert bench.page.locator("main img").count() == 0


def test_zooming_by_button_wheel_and_keyboard_and_finding(bench: Workbench):
    page = bench.go("matrix")
    canvas = page.locator("canvas.cells")
    whole = canvas.get_attribute("data-piece")

    def moved(before: str) -> str:
        page.wait_for_function(
            "before => document.querySelector('canvas.cells').dataset.piece !== before", arg=before
        )
        return str(canvas.get_attribute("data-piece"))

    page.click("#zoom-in")
    nearer = moved(whole)
    canvas.hover()
    page.mouse.wheel(0, -300)
    moved(nearer)
    page.locator(".frame").press("0")
    assert moved(canvas.get_attribute("data-piece")) == whole
    page.locator(".frame").press("+")
    there = moved(whole)
    page.locator(".frame").press("ArrowRight")
    moved(there)
    canvas.hover()
    page.locator("#told", has_text=re.compile("expected")).wait_for()
    page.fill("#find", "gene")
    page.locator(".hits button", has_text="gene").first.click()
    page.locator("#told", has_text="gene is outlined").wait_for()


def test_a_fit_is_begun_and_cancelled(bench: Workbench):
    page = bench.go("run")
    before = open_project(bench.folder).runs
    # Without a number of clusters one is chosen, which takes long enough to be cancelled.
    page.fill("#clusters", "")
    page.click("#start")
    page.click("#cancel")
    page.locator(".going h3", has_text="cancelled").wait_for()
    assert open_project(bench.folder).runs == before
    page.fill("#clusters", "5")
    page.click("#start")
    page.locator(".going h3", has_text="done").wait_for()
    page.locator("th", has_text=re.compile(f"^{before[-1] + 1}$")).wait_for()


def test_merging_renaming_undo_redo_and_comparing(bench: Workbench):
    page = bench.go("clusters")
    count = page.locator(".card").count()
    for box in page.locator(".choice input").all()[:2]:
        box.check()
    page.click("#merge")
    told(bench, "^Merged")
    assert page.locator(".card").count() == count - 1
    rename(bench, 0, "A name of mine")
    assert "A name of mine" in page.locator(".card h3").first.inner_text()
    page.click("#undo")
    told(bench, "Undone: rename")
    page.click("#undo:enabled")
    told(bench, "Undone: merge")
    assert page.locator(".card").count() == count
    page.click("#redo:enabled")
    told(bench, "Done again: merge")
    page.click("#redo:enabled")
    told(bench, "Done again: rename")
    assert open_project(bench.folder).names[0] == "A name of mine"
    bench.go("compare")
    page.select_option("#run-0", "1")
    page.locator("#compared", has_text="samples moved").wait_for()


def test_a_look_inside_is_dismissed_taken_and_undone(bench: Workbench):
    page = bench.go("map")
    runs = open_project(bench.folder).runs
    page.select_option("#pick", index=1)
    page.click("#inside")
    page.locator("#within .part").nth(1).wait_for()
    page.click("#leave")
    page.locator("#within").wait_for(state="detached")
    assert open_project(bench.folder).runs == runs
    page.fill("#parts", "3")
    page.click("#inside")
    page.locator("#within .part").nth(2).wait_for()
    page.click("#take:enabled")
    told(bench, "became 3 clusters")
    assert len(open_project(bench.folder).runs) == len(runs) + 1
    page.click("#undo:enabled")
    told(bench, "Undone: part")


def test_twenty_answers_by_keyboard_undo_redo_and_a_fit(bench: Workbench):
    page = bench.go("ask")
    project = open_project(bench.folder)
    classes, place = project.dataset.labels, {str(name): i for i, name in enumerate(project.ids)}
    assert classes is not None
    page.click("text=Same or different?")
    page.keyboard.press("?")
    page.locator("#keys").wait_for()
    page.keyboard.press("Escape")
    page.locator("#keys").wait_for(state="hidden")
    for number in range(20):
        tally = page.locator("#tally")
        tally.filter(has_text=re.compile(rf"^{number} answers?\b")).wait_for()
        page.locator(".two:not(.stale)").wait_for()
        shown = [text.split(" · ")[1] for text in page.locator(".sample p.small").all_inner_texts()]
        i, j = (place[name] for name in shown)
        page.keyboard.press("s" if classes[i] == classes[j] else "d")
    page.locator("#tally", has_text="20 answers").wait_for()
    assert answers(bench) == 20
    page.keyboard.press("z")
    page.locator("#tally", has_text="19 answers").wait_for()
    page.keyboard.press("Control+z")
    page.locator("#tally", has_text="18 answers").wait_for()
    page.keyboard.press("Shift+z")
    # The button is off while something is under way: a click in that moment would be lost.
    page.locator("#tally", has_text="19 answers").wait_for()
    page.click("#redo:enabled")
    page.locator("#tally", has_text="20 answers").wait_for()
    assert answers(bench) == 20
    page.click("#refit")
    page.locator("#after", has_text="Accuracy").wait_for()
    # Keys are letters while someone types.
    bench.go("clusters")
    page.locator("input[id^=name-]").first.press("z")
    assert answers(bench) == 20


def test_places_by_number(bench: Workbench):
    page = bench.go("ask")
    page.click("text=Which group?")
    page.locator(".places").wait_for()
    page.keyboard.press("1")
    page.locator("#tally", has_text="1 answer").wait_for()
    page.keyboard.press("z")
    page.locator("#tally", has_text="0 answers").wait_for()
    assert answers(bench) == 0


def test_links_are_filtered_taken_back_imported_and_exported(bench: Workbench, tmp_path: Path):
    page = bench.go("ask")
    page.click("text=Same or different?")
    page.locator(".two").wait_for()
    page.keyboard.press("d")
    page.locator("#tally", has_text="1 answer").wait_for()
    bench.go("links")
    page.locator(".ledger tbody tr").first.wait_for()
    before = open_project(bench.folder).links
    page.fill("#filter", "ask")
    page.locator(".ledger button", has_text="Undo").first.click()
    told(bench, "Taken back")
    page.click("#undo:enabled")
    told(bench, "Undone: take back")
    after = open_project(bench.folder).links
    assert before is not None
    assert after is not None
    assert (after.n_must, after.n_cannot) == (before.n_must, before.n_cannot)
    file = tmp_path / "mine.csv"
    file.write_text("a,b,relation\ndoc000,doc001,unsure\n")
    page.set_input_files("#import", str(file))
    told(bench, "were added")
    with page.expect_download() as waiting:
        page.click("text=links.csv")
    assert "doc000,doc001,unsure" in Path(waiting.value.path()).read_text()


def test_the_map_choosing_a_cluster(bench: Workbench):
    page = bench.go("map")
    page.select_option("#pick", index=1)
    page.locator("h3", has_text="chosen").wait_for()
    page.select_option("#by", "place")
    page.locator("figcaption", has_text="city 0").wait_for()


def test_metadata_lie_beside_the_rows_with_a_legend_and_a_table(bench: Workbench):
    page = bench.go("matrix")
    page.locator(".strips label", has_text="known classes").click()
    legend = page.locator(".beside-legend")
    legend.locator(".key-cluster", has_text="biology").wait_for()
    legend.locator("summary").click()
    counts = legend.locator("tbody td").all_inner_texts()
    assert sum(map(int, counts)) == len(open_project(bench.folder).ids)
    page.hover("canvas.beside")
    page.locator("#told", has_text="known classes:").wait_for()
    # The same of the features, above the columns.
    page.locator(".strips label", has_text="letters").click()
    above = page.locator(".beside-legend", has_text="letters")
    above.locator(".key-cluster").first.wait_for()
    above.locator("summary").click()
    counts = above.locator("tbody td").all_inner_texts()
    assert sum(map(int, counts)) == open_project(bench.folder).dataset.X.shape[1]
    page.hover("canvas.above")
    page.locator("#told", has_text="letters:").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
def test_what_views_open_fits_and_axe_finds_nothing(
    bench: Workbench, axe: Path, width: int, scheme: str
):
    page = bench.opened(width, scheme, bypass_csp=True)

    def fits(name: str) -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.evaluate(axe.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run()")["violations"]
        assert [(name, one["id"], one["nodes"][0]["html"]) for one in found] == []

    bench.go("matrix", page)
    for name in ("place", "letters"):
        page.locator(".strips label", has_text=name).click()
        page.locator(".beside-legend", has_text=name).locator(".key-cluster").first.wait_for()
    fits("strips")
    bench.go("map", page)
    page.select_option("#pick", index=1)
    page.locator("#inside").wait_for()
    fits("chosen")
    page.click("#inside")
    page.locator("#within .part").first.wait_for()
    fits("inside")
    page.context.close()


def test_the_report_is_exported(bench: Workbench):
    bench.go("clusters")
    rename(bench, 0, "A name of mine")
    page = bench.go("overview")
    with page.expect_download() as waiting:
        page.click("#export")
    text = Path(waiting.value.path()).read_text()
    assert text.startswith("<!doctype html>")
    assert "A name of mine" in text


def test_two_tabs_follow_each_other(bench: Workbench):
    other = bench.opened()
    typed = bench.go("clusters", other).locator("input[id^=name-]").nth(1)
    typed.fill("Half a na")
    bench.go("clusters")
    rename(bench, 1, "Seen elsewhere")
    other.locator(".card h3", has_text="Seen elsewhere").wait_for()
    # What is being typed there is not taken away.
    assert typed.input_value() == "Half a na"
    bench.go("overview", other).locator(".names", has_text="Seen elsewhere").wait_for()
    other.context.close()


def test_nothing_is_lost_when_the_server_is_killed(bench: Workbench):
    page = bench.go("ask")
    page.locator(".two:not(.stale), .one:not(.stale)").wait_for()
    runs = open_project(bench.folder).runs
    with page.expect_response("**/api/v1/answers**"):
        page.keyboard.press("u")
    # In the middle of a fit, too.
    page.click("#refit:enabled")
    bench.stop(signal.SIGKILL)
    page.locator(".news", has_text="cannot be reached").wait_for()
    bench.context.close()
    bench.start()
    assert answers(bench) == 1
    assert open_project(bench.folder).runs[: len(runs)] == runs
    page = bench.go("ask")
    page.locator("#tally", has_text="1 answer").wait_for()
    page.reload()
    page.locator("#tally", has_text="1 answer").wait_for()
    page.click("#undo:enabled")
    told(bench, "Undone")
