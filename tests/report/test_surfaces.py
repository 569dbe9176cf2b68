"""One account, every surface: the same names and numbers, and text that stays text."""

from __future__ import annotations

import base64
import csv
import hashlib
import html
import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from cocluster import account
from cocluster.report.colours import CLUSTERS, SCALE, cluster_colour, ink_on, signed_colour
from cocluster.report.compute.pictures import STEPS
from cocluster.report.images import png
from cocluster.report.page import page
from cocluster.report.tables import as_csv
from tests.report.accounts import HARM, told


class Reader(HTMLParser):
    """What a browser would find in a page: elements, their attributes, and texts."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def attributes(self, name: str) -> list[str]:
        return [a[name] or "" for _, a in self.elements if name in a]


@pytest.fixture(scope="module")
def made() -> Reader:
    return Reader(page(told()))


def surfaces() -> dict[str, str]:
    found = told()
    shown = Reader(page(found))
    return {
        "page": " ".join(shown.texts),
        "notebook": " ".join(Reader(found._repr_html_()).texts),
        "markdown": found.to_markdown().replace("\\", ""),
        "frame": found.to_frame("clusters").to_csv(),
        "json": json.dumps(found.as_dict(), ensure_ascii=False),
        "text": str(found),
    }


@pytest.mark.parametrize("surface", surfaces())
def test_every_surface_has_the_same_names_and_sizes(surface):
    text = surfaces()[surface]
    for own in told().samples:
        assert own.name in text
        assert str(own.size) in text


def test_the_page_has_the_numbers_of_the_account(made: Reader):
    found, text = told(), " ".join(made.texts)
    assert found.classes is not None
    assert f"{found.classes.nmi:.3f}" in text
    for alert in found.alerts:
        assert alert.text in text
    for own in found.samples:
        for member in own.representative:
            assert member.title in text
        for view in own.views:
            assert all(feature.name in text for feature in view.features)
    assert found.reproduce.command in text
    assert all(reference in text for reference in found.citation.references)


def test_every_part_that_is_there_is_offered_as_csv(made: Reader):
    offered = {}
    for tag, attributes in made.elements:
        if tag == "a" and "download" in attributes:
            encoded = (attributes["href"] or "").split("base64,")[1]
            offered[attributes["download"]] = base64.b64decode(encoded).decode("utf-8")
    for part in ("clusters", "features", "members", "classes", "links", "certainty"):
        assert offered[f"{part}.csv"] == as_csv(told().rows(part))
    rows = list(csv.DictReader(io.StringIO(offered["association-samples-words.csv"])))
    assert [float(row["sum"]) for row in rows] == [
        value for line in told().associations[0].sums for value in line
    ]


def test_texts_of_the_data_are_text(made: Reader):
    assert HARM[:60] in "".join(made.texts)
    scripts = [attributes for tag, attributes in made.elements if tag == "script"]
    assert [attributes.get("type") for attributes in scripts] == ["application/json", None]
    assert not [tag for tag, a in made.elements if any(key.startswith("on") for key in a)]
    assert "taken over" not in "".join(made.attributes("src"))
    assert Reader(told()._repr_html_()).attributes("onerror") == []
    assert "<script" not in told().to_markdown().replace("\\<", "")


def test_the_page_asks_for_nothing(made: Reader):
    for name in ("src", "href", "action", "srcset", "poster", "data"):
        for address in made.attributes(name):
            assert address.startswith(("data:", "#")), address
    source = page(told())
    assert "@import" not in source
    assert not re.search(r"url\(\s*['\"]?(?!data:)", source)


def test_only_the_script_of_the_page_may_run():
    source = page(told())
    script = re.findall(r"<script>(.*?)</script>", source, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', source)
    assert f"script-src 'sha256-{digest}'" in html.unescape(policy)
    assert "default-src 'none'" in html.unescape(policy)


def test_without_the_script_all_is_there_but_what_needs_it(made: Reader):
    hidden = [attributes for _, attributes in made.elements if "hidden" in attributes]
    assert {attributes.get("id") or attributes.get("class") for attributes in hidden} == {
        "searching",
        "tools",
        "told",
    }
    images = [attributes for tag, attributes in made.elements if tag == "image"]
    assert len(images) == len(told().pictures)


def test_the_picture_holds_the_cells_themselves():
    image = pytest.importorskip("PIL.Image")
    for picture, encoded in zip(
        told().pictures,
        re.findall(r'href="data:image/png;base64,([^"]+)"', page(told())),
        strict=True,
    ):
        read = image.open(io.BytesIO(base64.b64decode(encoded)))
        np.testing.assert_array_equal(np.asarray(read, dtype=int) - STEPS, picture.cells)


def test_a_png_is_what_it_was(rng):
    image = pytest.importorskip("PIL.Image")
    for shape in ((4, 7), (5, 3, 3)):
        pixels = rng.integers(0, 256, shape)
        read = np.asarray(image.open(io.BytesIO(png(pixels))))
        np.testing.assert_array_equal(read, pixels)


def test_names_and_ids_appear_in_the_page_once(made: Reader):
    ids = made.attributes("id")
    assert len(ids) == len(set(ids))


def test_many_clusters_and_signed_data_have_a_page(rng):
    X = rng.normal(size=(60, 20))
    source = page(account(np.arange(60) % 40, X))
    assert "standard deviations" in source
    assert source.count('class="card"') == 40


def contrast(one: tuple[int, int, int], other: str) -> float:
    """As the guidelines for accessible pages define it."""

    def luminance(parts: list[float]) -> float:
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    ink = 0.0 if other == "#000000" else 1.0
    light, dark = sorted((luminance([p / 255 for p in one]), luminance([ink] * 3)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_ink_can_be_read_on_every_colour():
    for value in np.linspace(-1, 1, 101):
        colour = signed_colour(float(value))
        assert contrast(colour, ink_on(colour)) >= 4.5
    assert signed_colour(-1.0) == SCALE[0]


def test_a_cluster_keeps_its_colour():
    assert [cluster_colour(i) for i in range(len(CLUSTERS))] == list(CLUSTERS)
    assert len(set(CLUSTERS)) == len(CLUSTERS)
    assert cluster_colour("new 1") in CLUSTERS
