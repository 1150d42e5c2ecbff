# Everything runs in .venv, made once and again whenever the requirements change.

PYTHON ?= python3
BENCH_ARGS ?=
PYTEST_ARGS ?=

BIN := .venv/bin
READY := .venv/.ready

# Spark starts Python workers of its own: they must find the same packages.
export PYSPARK_PYTHON := $(CURDIR)/$(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint types layers format bench clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY)  ## a day of sensor readings through the library
	@$(BIN)/python examples/day_of_sensors.py

test: lint types layers  ## everything a change must pass
	@$(BIN)/python -m pytest -n 2 --dist loadgroup $(PYTEST_ARGS)

test-slow: $(READY)  ## the tests that take minutes
	@$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

lint: $(READY)  ## style and likely bugs (ruff)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: $(READY)  ## types (mypy, strict)
	@$(BIN)/mypy

layers: $(READY)  ## imports point down only (import-linter)
	@$(BIN)/lint-imports --no-logo

format: $(READY)  ## put the code in shape
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

bench: $(READY)  ## measure; arguments go in BENCH_ARGS
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

clean:  ## remove .venv and what the tools leave behind
	@rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
	    "windrow needs Python 3.11 or newer, this is %d.%d: make PYTHON=... names another" \
	    % sys.version_info[:2])'
	@echo "Setting up .venv (once; a minute or two)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	    --constraint constraints.txt --editable '.[bench,dev,sketches,spark]'
	@touch $@
