# Each target installs what it needs into .venv from lock files; nothing has to be installed first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# What `run` and `demo` need, what the other targets need, and llama.cpp.
SERVICE     := $(VENV)/.service
READY       := $(VENV)/.ready
LOCAL_MODEL := $(VENV)/.local-model
# Modules are compiled when they are first imported, which saves a quarter of the disk space.
# Where `dist`, `sbom` and `wordpress-plugin` write.
DIST   := dist
PIP    := $(BIN)/python -m pip install --disable-pip-version-check --no-compile

# Hundreds of processes of a test run share compiled modules, even if the shell disables them.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install demo init run local-model test test-long test-sites test-crashes test-kills test-plugin-versions test-proofs test-hostile test-browser screenshots lint format bench openapi docs wordpress-plugin wordpress-pot dist audit sbom secrets conformance conformance-mutants image lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

$(SERVICE): requirements.lock docker/connector.lock docker/build.lock pyproject.toml sdk/pyproject.toml connectors/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Copydesk needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=python3.11 (or newer).") if sys.version_info < (3, 11) else None'
	@echo "making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "could not make $(VENV): on Debian, install python3-venv"; exit 1; }
	@echo "installing the service, the SDK and the connectors (about 230 MB, a minute) ..."
	@$(PIP) --require-hashes -r requirements.lock -r docker/connector.lock -r docker/build.lock
	@$(PIP) --no-build-isolation --no-deps -e . -e ./sdk -e ./connectors
	@touch $@

$(READY): requirements-dev.lock $(SERVICE)
	@echo "installing what tests, lint and documentation need (about 480 MB, one to two minutes) ..."
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

$(LOCAL_MODEL): tools/local-model.lock $(SERVICE)
	@echo "installing llama.cpp (100 MB) ..."
	@$(PIP) --require-hashes -r tools/local-model.lock
	@touch $@

install: $(READY)  ## install the packages of every other target into .venv

demo: $(SERVICE) $(if $(OPENAI_BASE_URL)$(OPENAI_API_KEY)$(wildcard var/copydesk.toml),,$(LOCAL_MODEL))  ## write a post with a real language model and publish it as Markdown
	@$(BIN)/python -m tools.demo

init: $(SERVICE)  ## choose the model, the database and the address of the service
	@$(BIN)/copydesk-server init

run: $(SERVICE)  ## start the service on http://127.0.0.1:8000, with workers and scheduler
	@$(BIN)/copydesk-server run

local-model: $(LOCAL_MODEL)  ## download the local model (1.1 GB), to try the service without an endpoint
	@$(BIN)/copydesk-server model pull

test: $(READY)  ## run the test suite, without what proves at length
	@$(BIN)/python -m pytest -n auto

test-long: $(READY)  ## run the rest: kills at every point, several processes, large databases, wheels
	@$(BIN)/python -m pytest -n auto -m long

test-sites: $(READY)  ## test against a real WordPress, Ghost, Hugo, Jekyll, Eleventy and Astro
	@$(BIN)/python -m pytest -n 2 tests/sites; ours=$$?; \
		$(BIN)/python -m pytest -m sites connectors/tests && exit $$ours

test-kills: $(READY)  ## publish 500 posts by connector and plugin while all on the way breaks (half an hour)
	@KILLS=full $(BIN)/python -m pytest -s tests/sites/test_plugin_kills.py tests/sites/test_trials.py

test-plugin-versions: $(READY)  ## run the WordPress plugin on each PHP with each WordPress (five minutes)
	@PLUGIN_VERSIONS=full $(BIN)/python -m pytest tests/sites/test_plugin_versions.py

test-crashes: $(READY)  ## kill each part at random during 200 jobs, and workers at every call (half an hour)
	@CRASHES=full $(BIN)/python -m pytest -s tests/crashes tests/integration/test_journal_kills.py

test-proofs: $(READY)  ## test the feed and the scheduler at length (half an hour)
	@FEED_PROOF=full $(BIN)/python -m pytest -n 2 -m '' tests/integration/test_feed_proof.py \
		tests/integration/test_schedulers.py

test-browser: $(READY)  ## test the pages in Chromium
	@$(BIN)/python -m pytest tests/browser

lint: $(READY)  ## check formatting, code, types and the word list
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python tools/check_words.py

format: $(READY)  ## format the code and fix lint errors
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

# Not the one that needs a model, and the one that needs atheris.
bench: $(READY)  ## run the benchmarks that need no model
	@for b in $(filter-out bench/editorial.py bench/hostile_parsers.py,$(wildcard bench/*.py) bench/chaos); do PYTHONPATH=. $(BIN)/python $$b || exit 1; done

# A program that only one benchmark needs, aside from those of the product.
var/fuzz/.ready: tools/fuzz.lock $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --target var/fuzz --upgrade -r tools/fuzz.lock
	@touch $@

test-hostile: var/fuzz/.ready  ## send 100,000 hostile requests, and fuzz every parser (an hour)
	@PYTHONPATH=. $(BIN)/python bench/hostile_requests.py
	@PYTHONPATH=.:var/fuzz $(BIN)/python bench/hostile_parsers.py

screenshots: $(READY)  ## take the pictures of console and WordPress in docs/pictures, with Chromium
	@$(BIN)/python -m tools.pictures

openapi: $(READY)  ## regenerate docs/openapi.json and the reference pages
	@$(BIN)/python -m tools.api
	@$(BIN)/python tools/pages.py

docs: $(READY)  ## build the documentation site in var/site-docs
	@$(BIN)/python -m mkdocs build --strict --quiet
	@echo "open var/site-docs/index.html"

wordpress-plugin:  ## build the WordPress plugin, dist/copydesk.zip
	@$(PYTHON) tools/wordpress_plugin.py $(DIST)/copydesk.zip

# Debian's package is gettext. The header of the file stays.
wordpress-pot:  ## update the WordPress plugin's template of translations, with xgettext
	@cd connectors/wordpress-plugin/copydesk && { sed '/^$$/q' languages/copydesk.pot; \
		find . -name '*.php' -printf '%P\n' | LC_ALL=C sort | xgettext --files-from=- --language=PHP \
			--from-code=UTF-8 --add-location=file --add-comments=translators --no-wrap --keyword \
			--keyword=__:1,2t --keyword=esc_html__:1,2t --keyword=esc_html_e:1,2t --keyword=esc_attr__:1,2t \
			--keyword=_n:1,2,4t --output=- 2>/dev/null | sed '1,/^$$/d'; } >languages/copydesk.new
	@cd connectors/wordpress-plugin/copydesk/languages && mv copydesk.new copydesk.pot

# Each file in an archive has the time of the commit, so that the same commit gives the same bytes.
dist: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
dist: $(READY) sbom docs wordpress-plugin  ## build all files of a release into dist/, with SHA256SUMS
	@$(BIN)/python -m pytest -q tests/unit/test_versions.py
	@rm -f $(DIST)/*.whl $(DIST)/*.tar.gz $(DIST)/SHA256SUMS
	@for project in . sdk connectors; do \
		(cd $$project && $(abspath $(BIN))/python -m hatchling build --directory $(abspath $(DIST)) >/dev/null) || exit 1; \
	done
	@tar --create --file $(DIST)/copydesk-docs.tar.gz --use-compress-program 'gzip -9n' --sort name \
		--mtime @$$SOURCE_DATE_EPOCH --owner 0 --group 0 --numeric-owner --mode u=rwX,go=rX \
		--directory var/site-docs --transform 's/^\./copydesk-docs/' .
	@cd $(DIST) && sha256sum * >SHA256SUMS && cat SHA256SUMS

# Tools for releases, in an environment of their own, so that the tests run without them.
AUDIT := var/audit
LOCKS := requirements.lock requirements-dev.lock docker/connector.lock docker/build.lock

$(AUDIT)/.ready: tools/audit.lock
	@$(PYTHON) -m venv $(AUDIT)
	@$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tools/audit.lock
	@touch $@

audit: $(AUDIT)/.ready  ## look up the locked packages in the OSV database of vulnerabilities
	@for lock in $(LOCKS); do \
		$(AUDIT)/bin/pip-audit --strict --disable-pip --progress-spinner off -s osv -r $$lock 2>var/audit/errors \
			&& echo "$$lock: no known vulnerability" && continue; \
		tail -n 1 var/audit/errors >&2; \
		echo "$$lock: not passed. A connection error above means that nothing was looked up." >&2; exit 1; \
	done

sbom: $(AUDIT)/.ready  ## write a CycloneDX list of the packages in the images into dist/
	@mkdir -p $(DIST)
	@$(AUDIT)/bin/cyclonedx-py requirements --output-reproducible requirements.lock -o $(DIST)/copydesk-server.cdx.json
	@$(AUDIT)/bin/cyclonedx-py requirements --output-reproducible docker/connector.lock -o $(DIST)/copydesk-connectors.cdx.json

# Without the detectors that guess by entropy or a variable's name, or report examples of URLs.
secrets: $(AUDIT)/.ready  ## search all tracked files for keys and other secrets (a minute)
	@git ls-files -z -- ':!*.lock' ':!*.npz' ':!*.png' | xargs -0 $(AUDIT)/bin/detect-secrets-hook --no-verify \
		--disable-plugin KeywordDetector --disable-plugin Base64HighEntropyString \
		--disable-plugin HexHighEntropyString --disable-plugin BasicAuthDetector
	@echo "no secret found"

conformance: $(READY)  ## test the specification clause by clause and write docs/proofs/conformance.md
	@$(BIN)/python -m tests.conformance

conformance-mutants: $(READY)  ## break each claim of the specification; its test must fail
	@$(BIN)/python -m tests.conformance.mutants

image: $(READY)  ## build and check the images in a bare Debian, as root
	@.ci/image

lock: $(READY)  ## update the lock files
	@$(BIN)/python -m pip install --quiet 'uv>=0.9,<1'
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --extra dev --extra local -c requirements.lock pyproject.toml -o requirements-dev.lock
	@echo 'hatchling>=1.27,<2' | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header -c requirements-dev.lock - -o docker/build.lock
	@printf 'cyclonedx-bom>=7.1,<8\ndetect-secrets>=1.5,<2\npip-audit>=2.9,<3\n' | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate - -o tools/audit.lock
	@echo 'xllamacpp>=2026.10,<2027' | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements-dev.lock - -o tools/local-model.lock
	@echo 'atheris==3.0.0' | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate - -o tools/fuzz.lock
	@printf './sdk\n./connectors[xmlrpc]\n' | $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-package copydesk --no-emit-package copydesk-connectors -c requirements-dev.lock - -o docker/connector.lock

clean:  ## remove everything the targets created
	rm -rf $(VENV) var .pytest_cache .mypy_cache .ruff_cache .hypothesis
