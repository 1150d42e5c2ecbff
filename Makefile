# Everything runs in .venv, made once and again whenever the requirements change.

PYTHON ?= python3
BENCH_ARGS ?=
PYTEST_ARGS ?=

BIN := .venv/bin
READY := .venv/.ready
READY_FOR_DOCS := .venv/.ready-for-docs

# The oldest Spark that windrow runs on: the tests marked spark_floor run there too.
OLDEST := .venv-oldest
FLOOR ?= spark_floor
OLDEST_READY := $(OLDEST)/.ready

# Spark starts Python workers of its own: they must find the same packages.
export PYSPARK_PYTHON := $(CURDIR)/$(BIN)/python

.DEFAULT_GOAL := help
.PHONY: help demo demo-edge test test-fast test-slow test-oldest lint types layers redis-server mosquitto format docs bench bench-approx bench-edge bench-parallel bench-spark bench-store bench-topology clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY)  ## a day of sensors on embedded Spark: batch, stream, and a page about both
	@$(BIN)/python -m examples.hot_hours.demo

demo-edge: $(READY)  ## 500 devices and a tree of 28 nodes, in a minute, and a page about it
	@$(BIN)/python -m examples.edge_tree.demo

test: lint types layers redis-server mosquitto  ## everything a change must pass
	@$(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder $(PYTEST_ARGS)
	@$(MAKE) --no-print-directory test-oldest

test-fast: export HYPOTHESIS_PROFILE ?= quick
test-fast: $(READY) redis-server  ## the tests without Spark, compiling and trees of nodes, in two minutes
	@$(BIN)/python -m pytest -m 'not (slow or spark or compiles or trees)' -n 2 --dist loadgroup --no-loadscope-reorder $(PYTEST_ARGS)

test-slow: $(READY) redis-server mosquitto  ## the tests that take minutes
	@$(BIN)/python -m pytest -m slow -n 2 --dist loadgroup --no-loadscope-reorder $(PYTEST_ARGS)
	@$(MAKE) --no-print-directory test-oldest FLOOR='not slow'

# Spark 4.1 leaves sockets open on the driver.
test-oldest: $(OLDEST_READY)  ## the tests marked spark_floor, on the oldest supported Spark
	@PYSPARK_PYTHON=$(CURDIR)/$(OLDEST)/bin/python \
	    $(OLDEST)/bin/python -m pytest -q -m '$(FLOOR)' -W ignore::ResourceWarning tests/spark

lint: $(READY)  ## style and likely bugs (ruff)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: $(READY)  ## types (mypy, strict)
	@$(BIN)/mypy

layers: $(READY)  ## imports point down only (import-linter)
	@$(BIN)/lint-imports --no-logo

# No Python package brings them; in a container, where one is root, they are installed at once.
redis-server mosquitto:
	@PATH="$$PATH:/usr/sbin"; command -v $@ > /dev/null \
	    || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq $@; } \
	    || { echo "$@ is missing: apt-get install $@, or brew install $(subst -server,,$@)"; exit 1; }

format: $(READY)  ## put the code in shape
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

docs: $(READY_FOR_DOCS)  ## the documentation as a site: build/site/index.html
	@$(BIN)/zensical build --clean --strict --config-file mkdocs.yml

bench: $(READY)  ## measure; arguments go in BENCH_ARGS
	@WINDROW_COMPILE=always $(BIN)/python -m benchmarks $(BENCH_ARGS)

bench-spark: $(READY)  ## measure queries beside Spark's own; BENCH_ARGS too
	@WINDROW_COMPILE=always $(BIN)/python -m benchmarks.spark $(BENCH_ARGS)

bench-store: $(READY) redis-server  ## measure windows larger than memory, in stores; BENCH_ARGS too
	@WINDROW_COMPILE=always $(BIN)/python -m benchmarks.store $(BENCH_ARGS)

bench-approx: $(READY)  ## measure approximate windows beside the published figures; BENCH_ARGS too
	@WINDROW_COMPILE=always $(BIN)/python -m benchmarks.approx $(BENCH_ARGS)

bench-edge: $(READY)  ## measure nodes near the devices, on one thread; BENCH_ARGS too
	@WINDROW_COMPILE=always WINDROW_THREADS=1 $(BIN)/python -m benchmarks.edge $(BENCH_ARGS)

bench-topology: $(READY)  ## re-make the published figures of topologies, and plan for 10^8 devices
	@WINDROW_COMPILE=always $(BIN)/python -m benchmarks.topology $(BENCH_ARGS)

bench-parallel: $(READY)  ## count what spreading windows costs, beside the published figures
	@$(BIN)/python -m benchmarks.parallel $(BENCH_ARGS)

clean:  ## remove the environments and what the tools leave behind
	@rm -rf .venv $(OLDEST) build dist .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
	    "windrow needs Python 3.11 or newer, this is %d.%d: make PYTHON=... names another" \
	    % sys.version_info[:2])'
	@echo "Setting up .venv (once; a minute or two)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	    --constraint constraints.txt --editable '.[bench,cli,connect,dev,edge,redis,rocksdb,sketches]'
	@touch $@

# Only who builds the site needs what builds it.
$(READY_FOR_DOCS): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	    --constraint constraints.txt --editable '.[docs]'
	@touch $@

# Versions are those of constraints.txt, but for what constraints-oldest.txt holds back.
$(OLDEST_READY): pyproject.toml constraints.txt constraints-oldest.txt
	@echo "Setting up $(OLDEST) (once; a minute or two)"
	@$(PYTHON) -m venv $(OLDEST)
	@awk -F== 'NR == FNR {held[$$1]; print; next} !($$1 in held)' \
	    constraints-oldest.txt constraints.txt > $(OLDEST)/constraints.txt
	@$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile \
	    --constraint $(OLDEST)/constraints.txt --editable '.[cli,sketches,test]'
	@touch $@
