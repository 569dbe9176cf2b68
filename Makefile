PYTHON ?= python3
BIN := .venv/bin
BENCH ?= --quick
# Of each target of `make fuzz`, in all runs.
CASES ?= 100000

.PHONY: demo test test-quick fuzz coverage versions lint bench bench-quick docs schema faults lock clean

demo: .venv/.demo  ## `cocluster fit` on the docstring corpus, writes demo-report/ with report.html
	$(BIN)/python examples/docstrings.py

test: .venv/.dev .venv/.browser  ## the ordinary tests: no downloads, no data files
	$(BIN)/python -m pytest -n auto -m "not slow"

# The core, and one look at each method: for the working day. `make test` is what counts.
test-quick: .venv/.dev
	$(BIN)/python -m pytest -n auto -m "not slow and not thorough"

fuzz: .venv/.dev  ## damaged input by the hundred thousand; TARGETS=csv,npz CASES=5000 for less
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: atheris
	$(BIN)/python -m tests.fuzz --cases $(CASES) $(if $(TARGETS),--targets "$(TARGETS)")
	$(if $(TARGETS),,$(BIN)/python -m tests.drawn)

coverage: .venv/.dev  ## branch coverage of the ordinary tests, also for the page on trust
	$(BIN)/python -m pytest -n auto -m "not slow" --cov --cov-report=term --cov-report=html \
	--cov-report=json:.coverage.json
	$(BIN)/python -m benchmarks.coverage .coverage.json

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

faults: .venv/.dev  ## kill -9 of every command that writes, at 200 moments each; about an hour
	$(BIN)/python -m benchmarks faults --kills 200

lock: .venv/bin/python  ## exact versions for development, with checksums: requirements-dev.lock
	$(BIN)/python .ci/lock.py

docs: .venv/.docs  ## docs/_build/html; every example of the gallery is run, warnings are errors
	$(BIN)/python -m sphinx -q --fail-on-warning --keep-going -b html docs docs/_build/html
	@echo docs/_build/html/index.html

schema: .venv/.dev  ## the published schema of an account, after its values have changed
	$(BIN)/python -c "import json; from cocluster import Account; from importlib.resources import files; \
	files('cocluster.report').joinpath('account.schema.json').write_text(json.dumps(Account.schema(), indent=1) + '\n')"

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.demo: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[fast]"
	touch $@

.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@ .venv/.demo

.venv/.docs: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

# A browser for the tests of the report, where one can be had; without one they are skipped.
.venv/.browser: | .venv/.dev
	@which chromium chromium-browser google-chrome 2>/dev/null | grep -q . \
	|| timeout 300 apt-get install -y -q chromium >/dev/null 2>&1 \
	|| timeout 300 $(BIN)/python -m playwright install chromium >/dev/null 2>&1 \
	|| echo "No browser can be had: the tests of the report in a browser are skipped."
	@touch $@

clean:
	rm -rf .venv demo-report docs/_build docs/_written docs/gallery docs/project docs/reference/api docs/results/benchmarks demo-data
