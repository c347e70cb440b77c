# make demo   set everything up, then build a small data set and score two real encoders on it and on the sample
# make test   set everything up, then run the tests
# The set-up is done once; it is repeated when pyproject.toml or constraints.txt change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One worker a core, each with one thread for linear algebra; a file stays with one worker, for its fixtures.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist loadfile

.PHONY: demo test shared lint bench clean

$(READY): pyproject.toml constraints.txt alee_mteb.pth
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[demo,builders,salt,leaderboard,dev]'
	@touch $(READY)

demo: $(READY)
	$(BIN)/alee demo

test: $(READY)
	$(PYTEST) -m 'not shared'

shared: $(READY)
	$(PYTEST) -m shared

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/building.py
	$(BIN)/python benchmarks/surface.py
	$(BIN)/python benchmarks/salt_losses.py
	$(BIN)/python benchmarks/salt_spans.py
	$(BIN)/python benchmarks/evaluation.py speed
	$(BIN)/python benchmarks/leaderboard.py

clean:
	rm -rf $(VENV) build dist demo-results .mypy_cache .ruff_cache .pytest_cache
