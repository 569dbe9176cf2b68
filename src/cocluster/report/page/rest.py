"""Links, data, method and citation: what one looks up rather than reads."""

from __future__ import annotations

from cocluster.report.page.charts import history
from cocluster.report.page.words import data_table, figure_of, offers, percent, section
from cocluster.report.tables import rows_of
from cocluster.report.values import AccountContents
from cocluster.utils.html import Html, tag


def links(account: AccountContents) -> Html | None:
    """Links kept, broken and implied."""
    if not account.links:
        return None
    rows = [
        [
            own.type,
            *("–" if n is None else f"{n:,}" for n in (own.stated, own.implied)),
            f"{own.satisfied:,}",
            f"{own.violated:,}",
        ]
        for own in account.links
    ]
    table = data_table(
        "Links by type", ["on", "stated", "with all implied", "kept", "broken"], rows
    )
    broken = [
        [
            link["first"],
            "belongs with" if link["kind"] == "must" else "does not belong with",
            link["second"],
            account.name_of(link["type"], link["first cluster"]),
            account.name_of(link["type"], link["second cluster"]),
        ]
        for link in rows_of(account, "broken")
    ]
    return section(
        "links",
        "Links",
        table,
        offers(rows_of(account, "links"), "links"),
        [
            data_table(
                "Links that are not kept", ["first", "", "second", "is in", "is in"], broken
            ),
            offers(rows_of(account, "broken"), "broken"),
        ]
        if broken
        else None,
    )


def data(account: AccountContents) -> Html:
    """What was clustered, and how it was read."""
    about = account.data
    rows = [
        [
            view.name,
            f"{view.n_rows:,} × {view.n_columns:,}",
            f"{view.entries:,}",
            percent(view.density),
            view.kind,
            f"{view.weight:g}",
        ]
        for view in about.views
    ]
    told = {
        "Read as": about.reading,
        "Words": about.counting,
        "Rows of views": about.alignment,
        **about.info,
    }
    size = about.types[0].size
    if about.looked_at < size:
        told["Looked at"] = (
            f"features and members were looked for among {about.looked_at:,} of the {size:,} "
            f"{about.center}, drawn at random"
        )
    return section(
        "data",
        "Data",
        data_table("Views", ["view", "size", "entries", "density", "values", "weight"], rows)
        if rows
        else None,
        _list({name: text for name, text in told.items() if text}),
    )


def method(account: AccountContents) -> Html:
    """The method, its parameters, how the run went, and what to cite."""
    run, cited = account.run, account.citation
    told = {
        "Method": f"{run.name or run.method}: {cited.title}" if cited.title else run.method,
        "Asked for": run.asked,
        "Clusters": ", ".join(f"{k} of {name}" for name, k in run.n_clusters.items()),
        "Seed": "none" if run.seed is None else str(run.seed),
        "Sweeps": f"{run.sweeps}"
        + ("" if run.converged is None else ", converged" if run.converged else ", cut off"),
        "Objective": figure_of(run.objective, 6),
        "Seconds": "" if run.seconds is None else f"{run.seconds:.2f}",
    }
    parameters = [
        [name, "–" if value is None else str(value)] for name, value in run.parameters.items()
    ]
    references = [tag("li", reference) for reference in cited.references]
    return section(
        "method",
        "Method",
        _list({name: text for name, text in told.items() if text}),
        tag("p", "It minimises ", tag("code", cited.objective)) if cited.objective else None,
        [tag("h3", "Please cite"), tag("ul", references)] if references else None,
        tag(
            "details",
            tag("summary", "Parameters"),
            data_table("Parameters", ["parameter", "value"], parameters),
        )
        if parameters
        else None,
        history(account),
    )


def _list(told: dict[str, str]) -> Html:
    """Terms and what is said of them."""
    items = [tag("div", tag("dt", name), tag("dd", text)) for name, text in told.items()]
    return tag("dl", items, class_="facts-list")
