# The interface for people: make demo, run, test, test-sites, test-browser, lint, bench.
# Each target makes its own .venv from the lock file; nothing else has to be installed first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# Where a shell forbids it, each of the hundreds of processes of a test run compiles all modules anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo run test test-sites test-crashes test-proofs test-browser lint format bench openapi conformance image lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

$(READY): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Copydesk needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=python3.11 (or newer).") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV) || { echo "could not make $(VENV): on Debian, install python3-venv"; exit 1; }
	@echo "installing the locked packages into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

demo: $(READY)  ## keywords to a page on a static site, with a real language model
	@$(BIN)/copydesk-server demo

run: $(READY)  ## the service on http://127.0.0.1:8000: web, workers and scheduler together
	@$(BIN)/copydesk-server run

test: $(READY)  ## the test suite; TESTS=all also what takes long
	@$(BIN)/python -m pytest -n auto --dist loadgroup

test-sites: $(READY)  ## against a fresh real WordPress, Ghost, Hugo, Jekyll, Eleventy and Astro; TESTS=all in every way there is
	@$(BIN)/python -m pytest tests/sites
	@$(BIN)/python -m pytest -m sites connectors/tests

test-crashes: $(READY)  ## kill every part of it at random over 200 jobs each (half an hour)
	@CRASHES=full $(BIN)/python -m pytest -s tests/crashes

test-proofs: $(READY)  ## the feed and the scheduler at length: 20,000 steps, 4,000 calls, 500 rules (half an hour)
	@FEED_PROOF=full TESTS=all $(BIN)/python -m pytest -n 2 tests/integration/test_feed_store.py \
		tests/integration/test_feed_proof.py tests/integration/test_schedulers.py

test-browser: $(READY)  ## in a real Chromium
	@$(BIN)/python -m pytest tests/browser

lint: $(READY)  ## formatting, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: $(READY)  ## format and mend what can be mended
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY)  ## measure, each bench printing a table
	@for b in bench/*.py; do PYTHONPATH=. $(BIN)/python $$b || exit 1; done

openapi: $(READY)  ## write docs/openapi.json anew
	@$(BIN)/python -m app.api.openapi > docs/openapi.json

conformance: $(READY)  ## prove the interface clause by clause and write docs/conformance.md
	@$(BIN)/python -m tests.conformance

image: $(READY)  ## carry out the steps of docker/ in a bare Debian, as root
	@.ci/image

lock: $(READY)  ## resolve the dependencies anew
	@$(BIN)/python -m pip install --quiet 'uv>=0.9,<1'
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	@echo 'hatchling>=1.27,<2' | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header - -o docker/build.lock
	@printf './sdk\n./connectors\n' | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-package copydesk --no-emit-package copydesk-connectors -c requirements-dev.lock - -o docker/connector.lock

clean:  ## remove what the targets made
	rm -rf $(VENV) var .pytest_cache .mypy_cache .ruff_cache .hypothesis
