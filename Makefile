# Each command sets up what it needs in .venv.
PYTHON ?= python3
BIN := .venv/bin
# What may differ from the checkout, such as a constraint file, stays in the user's pip settings.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
UNIT := -m "not (spark or browser or docs or network or slow)"
QUICK := -m "not (spark or browser or docs or network or slow or long)"

BENCH := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python

.PHONY: install test quick test-lowest test-python test-pythons lint format bench bench-peers reproduce \
	study docs dist clean
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

# The unit tests alone, each property with a quarter of its examples: no types, and nothing that needs
# Spark, a browser, a network or minutes.
quick: install
	$(BIN)/ruff check .
	$(BIN)/python -m pytest $(QUICK) --hypothesis-profile quick

# The unit tests in another environment: with the lowest versions that pyproject.toml promises (not of the
# benchmarks, which promise none; newer packages call these versions deprecated), ...
test-lowest: BIN := .venv-lowest/bin
test-lowest:
	test -x $(BIN)/python || $(PYTHON) -m venv .venv-lowest
	sed '/^\[dependency-groups\]/q' pyproject.toml | grep -o '"[a-z][a-z0-9-]*>=[0-9.]*"' \
	  | sed 's/"//g; s/>=/==/' > .venv-lowest/constraints.txt
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --editable ".[all]" --group test --constraint .venv-lowest/constraints.txt
	$(BIN)/python -m pytest $(UNIT) -W ignore::DeprecationWarning --ignore tests/test_peers.py --ignore tests/test_study.py

# ... with another Python (make test-python PYTHON=python3.13), and with each that is here.
VERSION = $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
test-python: BIN = .venv-$(VERSION)/bin
test-python:
	test -x $(BIN)/python || $(PYTHON) -m venv .venv-$(VERSION)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --editable ".[all]" --group test
	$(BIN)/python -m pytest $(UNIT)

PYTHONS ?= python3.11 python3.12 python3.13 python3.14 python3.15
test-pythons:
	for python in $(PYTHONS); do if $$python -c "" 2>/dev/null; then $(MAKE) test-python PYTHON=$$python || exit 1; fi; done

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/repo-review --show err .

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
	$(BIN)/python docs/narrow.py docs/_build/html
	@echo docs/_build/html/index.html

# Wheel and sdist, checked, installed into empty environments and tried out; the tests pass in the sdist.
dist: install
	$(PIP) --group dist
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	FSMJ_TEST_ALL=1 $(BIN)/python -m pytest tests/docs/test_wheel.py
	mkdir dist/unpacked && tar --extract --gzip --file dist/*.tar.gz --directory dist/unpacked --strip-components 1
	$(MAKE) --directory dist/unpacked test-python PYTHON=$(abspath $(BIN))/python
	rm -rf dist/unpacked

clean:
	rm -rf .venv .venv-* dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
