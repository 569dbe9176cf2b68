"""The report in a real browser: no requests, nothing that axe objects to, at all sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cocluster.report.page import page
from tests.report.accounts import HARM, told

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    target = tmp_path_factory.mktemp("page") / "report.html"
    target.write_text(page(told()), encoding="utf-8")
    return target.as_uri()


class Visit:
    """A page opened in a browser that lets no request through, and what it asked for."""

    def __init__(
        self, browser: Any, file: str, width: int = 1280, scheme: str = "light", **more: Any
    ):
        size = {"width": width, "height": 800}
        self.context = browser.new_context(viewport=size, color_scheme=scheme, **more)
        self.requests: list[str] = []
        self.troubles: list[str] = []
        self.context.route("**/*", self._decide)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.file = file
        self.page.goto(file)

    def _decide(self, route: Any) -> None:
        address = route.request.url
        if address.split("#")[0] == self.file:
            route.continue_()
        else:
            self.requests.append(address)
            route.abort()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_and_axe_finds_nothing(
    browser: Any, axe: Path, file: str, width: int, scheme: str
):
    visit = Visit(browser, file, width, scheme, bypass_csp=True)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    visit.page.evaluate(axe.read_text(encoding="utf-8"))
    found = visit.page.evaluate("axe.run()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    visit.context.close()


def test_nothing_is_asked_for_and_no_script_of_the_data_runs(browser: Any, file: str):
    visit = Visit(browser, file)
    visit.page.wait_for_function("document.querySelector('.tools').hidden === false")
    assert visit.requests == []
    assert visit.troubles == []
    assert visit.page.title().startswith(told().title)
    assert HARM[:40] in visit.page.inner_text("main")
    visit.context.close()


def test_zooming_hovering_and_searching(browser: Any, file: str):
    visit = Visit(browser, file)
    page = visit.page
    cells = page.locator(".zoom .window svg").first
    whole = cells.get_attribute("viewBox")
    page.locator(".zoom [data-zoom=in]").first.click()
    assert cells.get_attribute("viewBox") != whole
    page.locator(".zoom .frame").first.press("0")
    assert cells.get_attribute("viewBox") == whole
    page.wait_for_timeout(100)  # the image is decoded by then
    cells.hover()
    assert "expected" in page.locator(".zoom .told").first.inner_text()
    cells.dblclick()
    assert cells.get_attribute("viewBox") != whole
    page.fill("#search", "ball")
    shown = page.locator(".card:visible").count()
    assert 0 < shown < page.locator(".card").count()
    assert visit.troubles == []
    visit.context.close()


def test_without_javascript_the_picture_is_there(browser: Any, file: str):
    visit = Visit(browser, file, java_script_enabled=False)
    box = visit.page.locator(".zoom image").first.bounding_box()
    assert box is not None
    assert box["width"] > 300
    assert visit.page.locator(".tools").first.is_hidden()
    assert visit.page.locator(".card").count() == len(told().samples)
    visit.context.close()


def test_the_page_prints(browser: Any, file: str):
    visit = Visit(browser, file)
    assert visit.page.pdf(format="A4").startswith(b"%PDF")
    visit.context.close()
