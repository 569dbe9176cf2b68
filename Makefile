PYTHON ?= python3
BIN := .venv/bin
BENCH ?= --quick

.PHONY: demo test test-quick coverage versions lint bench bench-quick docs readme clean

demo: .venv/.demo  ## `cocluster fit` on the docstring corpus, writes demo-report/ with report.html
	$(BIN)/python examples/docstrings.py

test: .venv/.dev  ## the ordinary tests: no downloads, no data files
	$(BIN)/python -m pytest -n auto -m "not slow"

# The core, and one look at each method: for the working day. `make test` is what counts.
test-quick: .venv/.dev
	$(BIN)/python -m pytest -n auto -m "not slow and not thorough"

coverage: .venv/.dev  ## branch coverage of the ordinary tests
	$(BIN)/python -m pytest -n auto -m "not slow" --cov --cov-report=term --cov-report=html

versions: .venv/.dev  ## every supported Python that can be found, and the lowest versions declared
	$(BIN)/nox

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.dev  ## us and the peers in one run, as ratios; all sizes with BENCH=--full
	$(BIN)/python -m benchmarks.speed $(BENCH)

bench-quick: .venv/.dev  ## a slice of the papers' tables and of the leaderboard, under 10 minutes
	$(BIN)/python -m benchmarks.quick

docs: .venv/.dev  ## the documented examples are run and must give what they print
	$(BIN)/python -m pytest --doctest-modules src

readme: .venv/.dev  ## the table of methods
	$(BIN)/python -c "from pathlib import Path; from cocluster.methods.catalogue import as_markdown; \
	p = Path('README.md'); a, rest = p.read_text().split('<!-- methods -->'); \
	p.write_text(a + '<!-- methods -->\n' + as_markdown() + '\n<!-- /methods -->' + rest.split('<!-- /methods -->')[1])"

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.demo: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[fast]"
	touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@ .venv/.demo

clean:
	rm -rf .venv demo-report demo-data
