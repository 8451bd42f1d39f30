# Everything runs from .venv, built from the hashed lock files; nothing else is installed.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PYTEST := $(PY) -m pytest
# One worker per core, but at least two, since tests also wait, and at most four, since each starts its own servers.
# An idle worker takes over tests from another (worksteal), because the fault tests are long and scheduled together.
TEST_WORKERS ?= $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores < 2 ? 2 : cores > 4 ? 4 : cores)))

# Browser tests wait for pages, streams and workers more than they compute.
BROWSER_WORKERS ?= $(shell echo $$(($(TEST_WORKERS) + 1)))

# Without bytecode files, each of the many processes of a run would compile the site and the tests again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install install-dev run run-lan test soak schema lint messages e2e journeys everything every-sqlite every-slow every-postgresql every-browser every-engine bench bench-peers mutants engine-wheel test-engine-wheel lock clean analysis records

help:
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|' 2>/dev/null \
		|| sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1  \2/p' $(MAKEFILE_LIST)

install: $(VENV)/.runtime ## build .venv with what the server needs
install-dev: $(VENV)/.dev ## the same, with the development tools

# A bare Debian has no ensurepip, so `python3 -m venv` fails there, and its pip refuses to install system-wide:
# an environment without pip, filled from outside, works everywhere.
$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Barpoint needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V)." >&2; exit 1; }
	$(PYTHON) -m venv --without-pip $(VENV)

# pip names each package as it fetches it; of its other lines only warnings and errors, on stderr, are shown.
COUNTED = awk -v all="$$(grep -c '^[A-Za-z]' $(1))" '\
	/^ *Collecting / { printf "\r  %d of %d  %-40.40s", ++n, all, $$2; fflush() } \
	/^Installing collected/ { printf "\r  unpacking %d packages%-30s\n", n, ""; fflush() }'
define install-lock
	@set -o pipefail; if command -v uv >/dev/null 2>&1; then \
		echo "Installing $(1) with uv"; \
		uv pip install --python $(PY) --require-hashes -r $(1); \
	elif $(PYTHON) -m pip --python $(PY) --version >/dev/null 2>&1; then \
		echo "Installing $(1) with pip"; \
		$(PYTHON) -m pip --python $(PY) install --disable-pip-version-check --require-hashes -r $(1) | $(COUNTED); \
	elif $(PY) -m ensurepip >/dev/null 2>&1; then \
		echo "Installing $(1) with ensurepip's pip"; \
		$(PY) -m pip install --disable-pip-version-check --require-hashes -r $(1) | $(COUNTED); \
	else \
		echo "Found neither uv, pip nor ensurepip; on Debian: apt-get install python3-pip" >&2; exit 1; \
	fi
endef

$(VENV)/.runtime: requirements.txt | $(PY)
	$(call install-lock,$<)
	@touch $@

# The development lock contains the runtime lock, with the same versions.
$(VENV)/.dev: requirements-dev.txt | $(PY)
	$(call install-lock,$<)
	@touch $@ $(VENV)/.runtime

run: $(VENV)/.runtime ## install, migrate, start everything and print the URL
	@BARPOINT_DEMO=$${BARPOINT_DEMO:-1} exec $(PY) -m config.supervisor

run-lan: export HOST := 0.0.0.0
run-lan: run ## the same, open to phones and other devices in the network

# Which tests, also in the browser; all of them with MARK=.
MARK ?= not slow
# CHANGED=1 is for writing, since it misses some tests: nothing else here uses it. CHANGED=<revision> names another start.
# MARK=slow CHANGED=<revision> runs the slow ones that a change reaches.
CHANGED_TESTS = set -o pipefail; $(PY) -m tools.changed_tests $(filter-out 1,$(CHANGED)) | xargs -r
test: $(VENV)/.dev ## run the tests except the slow ones (CHANGED=1: only those that your changes reach)
	$(if $(CHANGED),$(CHANGED_TESTS) )$(PYTEST) -n $(TEST_WORKERS) --dist worksteal -m "$(MARK)" $(ARGS)

MINUTES ?= 30
soak: $(VENV)/.dev ## search for faults with new random choices, for MINUTES (30)
	$(PY) -m tools.soak --minutes $(MINUTES) --at-once $(TEST_WORKERS)

schema: $(VENV)/.dev ## write the tables of a new SQLite database to config/new_database.sql, before a release
	folder=$$(mktemp -d) && export BARPOINT_VAR=$$folder LOG_LEVEL=CRITICAL && $(PY) manage.py migrate --noinput --verbosity=0 \
		&& $(PY) -m config.new_database $$folder/barpoint.sqlite3; rm -r "$$folder"

lint: $(VENV)/.dev ## check style, types, templates, messages, missing migrations, import order
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) manage.py makemigrations --check --dry-run
	$(PY) -m tools.lint_migrations
	$(PY) -m tools.lint_templates templates
	$(PY) -m tools.messages --check
	$(PY) -m tools.lint_messages
	$(PYTEST) -q tests/test_layout.py

messages: $(VENV)/.dev ## update the message catalogues from the sources
	$(PY) -m tools.messages

e2e: $(VENV)/.dev ## run the ordinary browser tests and the journeys (skipped with a reason if Chromium is missing)
	$(PYTEST) -rfEs -n $(BROWSER_WORKERS) --dist worksteal -m "$(MARK)" tests/browser tests/journeys $(ARGS)

journeys: $(VENV)/.dev ## run the journeys from the front door, and print their taps, keystrokes and seconds
	$(PYTEST) -rfEs -n $(BROWSER_WORKERS) --dist worksteal tests/journeys $(ARGS)

# Parts of half an hour at the most. Which need more than the tests themselves says what is missing.
PART ?= sqlite slow postgresql browser engine
everything: ## run every test and print what each package costs (PART=sqlite, slow, postgresql, browser or engine)
	@$(MAKE) --keep-going $(addprefix every-,$(PART))
every-sqlite:
	$(MAKE) test MARK="not slow or landing" ARGS="--costs $(ARGS)"
every-slow:
	$(MAKE) test MARK="slow and not landing" ARGS="--costs $(ARGS)"
every-postgresql:
	TEST_TIER=postgresql tools/with_postgresql $(MAKE) test MARK=postgresql ARGS="--migrations --costs $(ARGS)"
every-browser:
	$(MAKE) e2e MARK=
every-engine: test-engine-wheel

bench: $(VENV)/.dev ## run the benchmarks (ARGS selects some by name)
	$(PY) -m benchmarks $(ARGS)

analysis: $(VENV)/.runtime ## install bgsage, which analyses matches, in a separate folder (needs a processor with AVX2)
	$(PYTHON) -m pip --python $(PY) install --quiet --upgrade --require-hashes --target var/analysis -r requirements-analysis.txt

records: $(VENV)/.runtime ## install gvformat, which reads OGXM and .bgf; then restart the site
	$(call install-lock,requirements-records.txt)

bench-peers: $(VENV)/.dev ## install the engines that ours is benchmarked against, outside the lock files
	$(PYTHON) -m pip --python $(PY) install --quiet --upgrade --pre --target var/peers gnubg-nn bgsage

# mutmut changes a copy of the code, in mutants/, and runs the tests there.
MUTMUT = PYTHONPATH=$(CURDIR)/var/mutmut $(PY) -m mutmut
mutants: $(VENV)/.dev ## plant faults in engine/ and formats/ and list those that no test notices (ARGS selects some by name)
	$(PYTHON) -m pip --python $(PY) install --quiet --upgrade --target var/mutmut "mutmut>=3.8,<4"
	$(MUTMUT) run $(ARGS)
	$(MUTMUT) results

engine-wheel: $(VENV)/.dev ## build the package with a compiled engine into var/engine-wheel (needs a C compiler)
	@$(PY) tools/build_engine_wheel.py --check
	$(PYTHON) -m pip --python $(PY) install --quiet --upgrade --target var/engine-wheel/tools setuptools
	PYTHONPATH=var/engine-wheel/tools $(PY) tools/build_engine_wheel.py

# The other packages come from the checkout. Loading the engine as a pytest plugin imports it before Django puts the
# checkout first on the path.
test-engine-wheel: engine-wheel ## run the engine's tests with the compiled engine
	ENGINE_COMPILED=1 $(PYTEST) -o pythonpath="var/engine-wheel/installed ." -p engine -n $(TEST_WORKERS) tests/engine $(ARGS)

# The local package index, find-links and machine must not end up in the lock files.
COMPILE = env -u PIP_FIND_LINKS -u UV_FIND_LINKS var/lock/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --custom-compile-command "make lock" pyproject.toml --group server
COMPILE_ANALYSIS = $(subst --group server,--group analysis,$(COMPILE))
COMPILE_RECORDS = $(subst --group server,--group records,$(COMPILE))
lock: ## compile requirements*.txt from pyproject.toml (UPGRADE=1 for newer versions)
	$(PYTHON) -m venv --without-pip var/lock
	$(PYTHON) -m pip --python var/lock/bin/python install --quiet uv
	$(COMPILE) $(if $(UPGRADE),--upgrade) -o requirements.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group dev -c requirements.txt -o requirements-dev.txt
	$(COMPILE_ANALYSIS) $(if $(UPGRADE),--upgrade) -o requirements-analysis.txt
	$(COMPILE_RECORDS) $(if $(UPGRADE),--upgrade) -o requirements-records.txt

clean: ## remove everything installed and built (including the database in var/)
	rm -rf $(VENV) var mutants build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
