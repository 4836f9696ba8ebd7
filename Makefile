# Each command sets up what it needs in .venv.
PYTHON ?= python3
BIN := .venv/bin
# What may differ from the checkout, such as a constraint file, stays in the user's pip settings.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

BENCH := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python

.PHONY: install test quick lint format bench bench-peers reproduce study docs clean
.DEFAULT_GOAL := install

.venv/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("fsmj needs Python 3.11 or newer; use make PYTHON=python3.11") if sys.version_info < (3, 11) else 0'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --editable ".[all]" --group test --group lint
	touch $@

install: .venv/installed

test: lint
	$(BIN)/python -m pytest

# The unit tests alone: no types, and nothing that needs Spark, a browser, a network or minutes.
quick: install
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -m "not (spark or browser or docs or network or slow)"

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install
	for script in ranking sweep documents counting classifying; do $(BENCH) benchmarks/$$script.py || exit 1; done
	$(MAKE) bench-peers

# Peers get an environment of their own, with fsmj as it is now; they are installed one by one.
PEERS := .venv-peers/bin/python
bench-peers:
	test -x $(PEERS) || $(PYTHON) -m venv .venv-peers
	$(PEERS) -m pip install --quiet --disable-pip-version-check ".[all]"
	PYTHONPATH=benchmarks $(PEERS) -m peers --install

reproduce: install
	$(BIN)/fsmj reproduce

study: install
	$(BIN)/python benchmarks/study.py

docs: install
	$(PIP) --group docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo docs/_build/html/index.html

clean:
	rm -rf .venv .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis
