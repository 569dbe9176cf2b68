"""``python -m cocluster`` and the ``cocluster`` command."""

from cocluster.cli import main

if __name__ == "__main__":
    main()
