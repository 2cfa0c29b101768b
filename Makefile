# Everything runs in .venv, which the targets make themselves from python3 (3.11 or newer) and pip.
# Paths here are relative and quoted, so that the project may live at a path with spaces.

PYTHON ?= python3
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
# Bytecode is kept even where the machine says not to, or every process of the tests compiles anew.
export PYTHONDONTWRITEBYTECODE :=
.PHONY: help demo test slow bridges browser latex pictures lint bench bench-check golden fuzz described coverage-study compare ranking-study shift-study tests-study verdicts-study thresholds-study gate-study plan-study folds-study judge-study samples-study areas-study docs site versions lowest newest clean FORCE

VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install -qq --disable-pip-version-check -c constraints.txt
PYTEST := $(RUN) -m pytest -n 2 -q
BRIDGES := lightning transformers mlflow
CASES ?= 100000
SEED := $(or $(SEED),$(shell echo $$((RANDOM << 15 | RANDOM))))
EXAMPLES ?= 100
VERSIONS ?= 3.11 3.12 3.13 3.14
FAST := not slow and not engine and not torch and not jax and not browser and not latex and not lightning and not transformers and not mlflow
SLOW := (slow or engine or torch or jax) and not browser and not latex

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.runtime ## score the example shared task and write its report
	@PATH="$$PWD/$(VENV)/bin:$$PATH" bash examples/demo.sh

test: $(VENV)/.dev ## run the fast tests
	$(PYTEST) -m "$(FAST)" --hypothesis-profile quick

slow: $(VENV)/.slow ## run the slow tests: simulations, laws on more examples, Spark, Dask, torch, JAX (Spark needs Java 17)
	$(PYTEST) --dist loadgroup -m "$(SLOW) or hypothesis and $(FAST)"

bridges: $(BRIDGES:%=.venv-%/.ready) ## real runs of Lightning, transformers and MLflow, each in an environment of its own
	@for tool in $(BRIDGES); do \
	  echo "$$tool" >&2; .venv-$$tool/bin/python -m pytest -n 0 -q tests/bridges/test_$$tool.py; \
	  .venv-$$tool/bin/python -m pytest -n 0 -q -m $$tool tests/structure/test_blocks.py || test $$? -eq 5; done # 5: no block

browser: $(VENV)/.browser $(VENV)/.docs ## test the report, the page and the site in Chromium, with axe (installs chromium by apt if there is none)
	EVENHAND_AXE="$$PWD/$(VENV)/axe/package/axe.min.js" $(PYTEST) --dist loadscope -m browser tests/reporting tests/web tests/site

versions: ## run the fast tests on every Python from 3.11 to 3.14 that is installed (VERSIONS=3.14 for one)
	@for version in $(VERSIONS); do \
	  found=python$$version; \
	  $$found -c '' 2>/dev/null || { echo "$$found is not installed: skipped" >&2; continue; }; \
	  $$found -m venv build/python$$version; \
	  build/python$$version/bin/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e ".[dev]"; \
	  build/python$$version/bin/python -m pytest -n 2 -q -m "$(FAST)"; \
	done

lowest: ## run the fast tests with the lowest versions that pyproject.toml admits of what users install
	@mkdir -p build; $(PYTHON) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  extras = [p["optional-dependencies"][e] for e in ("plot", "web", "duckdb", "sklearn")]; \
	  needs = [n for e in (p["dependencies"], *extras) for n in e if not n.startswith("evenhand")]; \
	  print(*(n.replace(">=", "==") for n in needs), sep="\n")' > build/lowest.txt
	@$(PYTHON) -m venv build/lowest
	@build/lowest/bin/python -m pip install -qq --disable-pip-version-check -r build/lowest.txt -e ".[dev]"
	build/lowest/bin/python -m pytest -n 2 -q -W default -m "$(FAST)"

newest: ## run the fast tests with the newest versions of everything
	@$(PYTHON) -m venv build/newest
	@build/newest/bin/python -m pip install -qq --disable-pip-version-check --upgrade -e ".[dev]"
	build/newest/bin/python -m pytest -n 2 -q -m "$(FAST)"

latex: $(VENV)/.dev ## compile every LaTeX output with pdflatex (installs texlive by apt if there is none: a minute)
	@command -v pdflatex >/dev/null || { echo "installing texlive" >&2; apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends texlive-latex-recommended >/dev/null; }
	$(PYTEST) -m latex tests/results

pictures: $(VENV)/.browser ## draw the pictures of README.md and docs again
	$(RUN) docs/pictures.py
	$(RUN) docs/poster.py
	$(RUN) docs/screenshot.py

lint: $(VENV)/.dev ## check style and types
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

bench: $(VENV)/.slow ## measure speed (most of an hour; GROUPS="core counting" for some of it)
	$(RUN) -m benchmarks $(GROUPS)

bench-check: $(VENV)/.dev ## is anything slower than recorded? ratios of CPU time (3 minutes; --record in ARGS records them anew)
	$(RUN) -m benchmarks.check $(ARGS)

golden: $(VENV)/.dev ## record anew what commands print and verbs return, after a change that means to
	$(RUN) -m tests.golden

fuzz: $(VENV)/.dev ## random cases against oracles of their own, random examples of the laws (CASES=1000000 takes fifteen minutes; SEED=1)
	failed=0; $(RUN) -m fuzz $(TARGETS) --cases $(CASES) --seed $(SEED) || failed=1; \
	$(if $(TARGETS),,$(PYTEST) tests -m "hypothesis and $(FAST)" --hypothesis-profile random --hypothesis-seed $(SEED) || failed=1;) \
	exit $$failed

described: $(VENV)/.dev ## ask the web page's API all that its description allows, with schemathesis (EXAMPLES=100: ten minutes)
	@$(PIP) "$$(grep '^schemathesis==' constraints.txt)"
	$(RUN) -m fuzz.described $(EXAMPLES)

shift-study: $(VENV)/.dev ## do scores under another class mix come true? (10 minutes)
	$(RUN) -m studies.shift

ranking-study: $(VENV)/.dev ## do chances of being best, rank intervals and letters hold? (15 minutes)
	$(RUN) -m studies.ranking

coverage-study: $(VENV)/.dev ## do intervals and tests hold what they promise? (10 minutes)
	$(RUN) -m studies.coverage

compare: $(VENV)/.slow ## what other packages can do, and intervals and tests beside theirs on the same data sets (10 minutes)
	$(PIP) evalstats==0.3.3 statsmodels
	$(PIP) --no-deps confidenceinterval==1.0.5 # which asks for an old setuptools and never uses it
	$(RUN) -m studies.peers
	$(RUN) -m studies.packages 1000

verdicts-study: $(VENV)/.dev ## does an audit name the right formula? (15 minutes)
	$(RUN) -m studies.verdicts --seed 60331

tests-study: $(VENV)/.dev ## do tests find what is there, and nothing else? (30 minutes)
	$(RUN) -m studies.tests

thresholds-study: $(VENV)/.dev ## does a chosen threshold do what is expected of it? (10 minutes)
	$(RUN) -m studies.thresholds

gate-study: $(VENV)/.dev ## does a gate hold back what is worse by the margin? (5 minutes)
	$(RUN) -m studies.gate

plan-study: $(VENV)/.dev ## are the items that are planned enough? (5 minutes)
	$(RUN) -m studies.plan

folds-study: $(VENV)/.dev ## do intervals over folds hold, naive and corrected? (10 minutes)
	$(RUN) -m studies.folds

samples-study: $(VENV)/.dev ## do intervals hold with several samples a question, and with topics? (10 minutes)
	$(RUN) -m studies.samples

areas-study: $(VENV)/.dev ## do intervals of areas under curves, Brier score and log loss hold? (10 minutes)
	$(RUN) -m studies.areas

judge-study: $(VENV)/.dev ## do intervals that human labels correct hold? (15 minutes)
	$(RUN) -m studies.judge

docs: $(VENV)/.docs ## write the generated pages again and build the site in build/docs/site (5 minutes)
	$(RUN) docs/build.py
	$(RUN) docs/website.py

site: $(VENV)/.docs ## build the site from the pages as they are (1 minute)
	$(RUN) docs/website.py

clean: ## remove the environment, builds and caches
	rm -rf $(VENV) .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is written last, so a finished step is not done again. An interrupted one leaves .unfinished,
# and then the environment is made anew: pip cannot always mend what it left half done.

$(VENV)/.runtime: $(VENV)/.made pyproject.toml constraints.txt
	@echo "installing evenhand into $(VENV), once" >&2
	@touch $(VENV)/.unfinished
	@$(PIP) -e ".[plot]"
	@rm $(VENV)/.unfinished; touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml constraints.txt
	@echo "installing evenhand and its development tools into $(VENV), once" >&2
	@touch $(VENV)/.unfinished
	@$(PIP) -e ".[dev]"
	@rm $(VENV)/.unfinished; touch $(VENV)/.runtime $@

# torch comes first and pinned: left to itself, pip may take a build of several gigabytes.
$(VENV)/.slow: $(VENV)/.dev
	@echo "installing torch, JAX, Dask and Spark into $(VENV), once" >&2
	@touch $(VENV)/.unfinished
	@$(PIP) "$$(grep '^torch==' constraints.txt)"
	@$(PIP) -e ".[dev,torch,torchmetrics,jax,dask,spark]"
	@rm $(VENV)/.unfinished; touch $@

$(VENV)/.docs: $(VENV)/.dev
	@echo "installing Sphinx into $(VENV), once" >&2
	@touch $(VENV)/.unfinished
	@$(PIP) -e ".[dev,docs]"
	@rm $(VENV)/.unfinished; touch $@

# Tools whose pins or size are their own. MLflow's pins clash with ours, so it has its own list.
.venv-%/.ready: FORCE
	@if [ "$$(cat $@ 2>/dev/null)" = "$$PWD" ] && [ ! pyproject.toml -nt $@ ] \
	  && [ ! constraints.txt -nt $@ ] && [ ! constraints-mlflow.txt -nt $@ ]; then exit 0; fi; \
	echo "installing evenhand and $* into .venv-$*, once" >&2; \
	rm -rf .venv-$*; $(PYTHON) -m venv .venv-$*; \
	pip=".venv-$*/bin/python -m pip install -qq --disable-pip-version-check"; \
	if [ $* = mlflow ]; then pins=constraints-mlflow.txt; else pins=constraints.txt; \
	  $$pip -c $$pins "$$(grep '^torch==' $$pins)"; fi; \
	$$pip -c $$pins -e ".[$*,plot]" hypothesis pytest pytest-xdist; \
	printf '%s\n' "$$PWD" > $@

# The browser itself is the system's, never a download of playwright's.
$(VENV)/.browser: $(VENV)/.dev
	@command -v chromium chromium-browser >/dev/null || \
	  { echo "installing chromium" >&2; apt-get update -qq && apt-get install -y -qq chromium >/dev/null; }
	@touch $(VENV)/.unfinished
	@$(PIP) "$$(grep '^playwright==' constraints.txt)"
	@mkdir -p $(VENV)/axe && cd $(VENV)/axe && npm pack --silent axe-core@4.14.0 >/dev/null && tar xzf axe-core-*.tgz
	@rm $(VENV)/.unfinished; touch $@

# An environment knows where it was made and works only there: a moved or copied one is made anew.
$(VENV)/.made: FORCE
	@if [ "$$(cat $@ 2>/dev/null)" = "$$PWD" ] && [ ! -e $(VENV)/.unfinished ] \
	  && $(RUN) -c '' 2>/dev/null; then exit 0; fi; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "evenhand needs Python 3.11 or newer, and $(PYTHON) is not: try make PYTHON=python3.11" >&2; \
	  exit 1; }; \
	rm -rf $(VENV); \
	$(PYTHON) -m venv $(VENV); \
	printf '%s\n' "$$PWD" > $@
