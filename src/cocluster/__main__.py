"""``python -m cocluster`` and the ``cocluster`` command."""

from __future__ import annotations


def main() -> None:
    """The command line, or how to get it."""
    try:
        from cocluster import cli
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        raise SystemExit(
            "The command line needs typer and rich: pip install 'cocluster[cli]'"
        ) from None
    cli.main()


if __name__ == "__main__":
    main()
