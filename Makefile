# Builds and tests everything in a checkout: `make demo`, `make test`, `make bench`, `make wheel`.
# It needs make, Python 3.11 or later and a JDK of 17 or later. It downloads everything else into
# .venv and the usual caches, and a second call reuses them.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

# The first Python that is new enough and runs (a version manager's shim may not run).
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
JAVA := $(if $(JAVA_HOME),$(JAVA_HOME)/bin/java,java)

# A variable, so that `make -n` does not run the recursive call.
SELF := $(MAKE)

VENV := .venv
RUN := PYTHONPATH=python$${PYTHONPATH:+:$$PYTHONPATH} $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
DOCS_VENV := .venv-docs
DOCS_INSTALLED := $(DOCS_VENV)/.installed
SBT := $(VENV)/bin/jgo org.scala-sbt:sbt-launch:1.13.0

# The Sparks with a patch each, from the build of the jars. Each Spark but the newest has a separate
# environment, with pyspark and the packages of the tests.
PATCHES := $(shell sed -n 's/.*SparkVersion."\([0-9.]*\)".*/\1/p' project/SparkVersions.scala)
SPARKS := $(foreach patch,$(PATCHES),$(basename $(patch)))
NEWEST := $(firstword $(SPARKS))
OLDER := $(filter-out $(NEWEST),$(SPARKS))
SPARK := $(NEWEST)
patch-of = $(filter $(1).%,$(PATCHES))
SCALAS := $(shell sed -n 's/.*SparkVersion."\([0-9]*\.[0-9]*\)[^,]*, "\([0-9]*\.[0-9]*\).*/\1_\2/p' \
	project/SparkVersions.scala)
python-of = $(if $(filter $(NEWEST),$(1)),$(VENV),$(VENV)-$(1))/bin/python
sbt-of = SPARK=$(1) $(SBT)
run-on = PYTHONPATH=python$${PYTHONPATH:+:$$PYTHONPATH} $(call python-of,$(1))

PRINT_HOME := import pyspark; print(pyspark.__path__[0])

VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' python/muntin/_version.py)
jar-of = python/muntin/jars/muntin-spark-$(filter $(1)_%,$(SCALAS))-$(VERSION).jar
JAR := $(call jar-of,$(SPARK))
# For programs in Scala: PyPI has no pyspark for this Scala, and no wheel contains this jar.
OF_MAVEN := 3.5_2.13
OF_MAVEN_JAR := python/muntin/jars/muntin-spark-$(OF_MAVEN)-$(VERSION).jar
JAR_SOURCES := build.sbt $(wildcard project/*.scala project/*.sbt project/build.properties) \
	python/muntin/_version.py python/muntin/_worker.py \
	python/muntin/error-conditions.json LICENSE NOTICE \
	$(shell find jvm/src/main jvm/kernel/src/main codegen -type f -not -name '*.pyc')

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 17

.PHONY: demo
demo: $(JAR) ## run the main job on real input
	$(RUN) examples/demo.py

.PHONY: bench
bench: $(JAR) ## run the benchmarks, in half an hour
	$(RUN) -m benchmarks

.PHONY: bench-quick
bench-quick: $(JAR) ## run the short benchmarks, in five minutes
	$(RUN) -m benchmarks --quick

.PHONY: bench-streams
bench-streams: $(JAR) ## run the short benchmarks of streams, in five minutes
	$(RUN) -m benchmarks --only streams tiny

# OPTIONS="--rates 1000 --warm 60 --measured 120": see python -m benchmarks.latency --help.
.PHONY: bench-latency
bench-latency: $(JAR) ## measure the latency from Kafka to Kafka, in six hours; OPTIONS=--quick: in a quarter of one
	$(RUN) -m benchmarks.latency $(OPTIONS)

.PHONY: charts
charts: $(INSTALLED) ## draw benchmarks/RESULTS.md into docs/images/
	$(RUN) -m benchmarks.charts

.PHONY: wheel
wheel: $(JAR) ## build a wheel with the jar of one Spark into dist/
	MUNTIN_WHEEL_SPARKS=$(SPARK) \
	  $(VENV)/bin/python -m build --wheel --no-isolation --outdir dist .

# MUNTIN_WHEEL_SPARKS=4.3 builds the jar of one Spark only.
.PHONY: release-dry-run
release-dry-run: $(if $(MUNTIN_WHEEL_SPARKS),jar,jars) maven ## build, check and install the artifacts for PyPI and Maven Central, without an upload
	rm -rf dist
	$(VENV)/bin/python -m build --no-isolation --outdir dist .
	$(VENV)/bin/python -m twine check --strict dist/*
	$(RUN) -m pytest tests/python/test_release.py tests/python/test_wheel.py

# KEY=… is the gpg key that signs a release; without it, a throw-away key signs.
# MUNTIN_WHEEL_SPARKS=4.3 works as above.
MAVEN := build/maven
MAVEN_SPARKS := $(or $(MUNTIN_WHEEL_SPARKS),$(SPARKS))
MAVEN_BESIDE := $(if $(MUNTIN_WHEEL_SPARKS),,$(OF_MAVEN))
MAVEN_JARS := $(foreach spark,$(MAVEN_SPARKS),$(call jar-of,$(spark))) \
	$(if $(MAVEN_BESIDE),$(OF_MAVEN_JAR))

.PHONY: maven
maven: $(MAVEN_JARS) ## build the artifacts for Maven Central into build/, sign them, and fetch them by --packages
	rm -rf $(MAVEN)
	$(foreach spark,$(MAVEN_SPARKS) $(MAVEN_BESIDE),$(call sbt-of,$(spark)) jvm/publish &&) true
	@touch $(MAVEN_JARS)
	$(VENV)/bin/python tests/try_maven.py $(MAVEN) $(if $(KEY),--key '$(KEY)') \
	  $(foreach spark,$(MAVEN_SPARKS),--spark $(filter $(spark)_%,$(SCALAS))="$$($(call \
	    python-of,$(spark)) -c '$(PRINT_HOME)')")

# The jar of a minor version supports all of its patches. Downloads the first patches, 150 MB each.
.PHONY: check-patches
check-patches: jars $(OF_MAVEN_JAR) ## check that the first patch of each Spark has everything that its jar uses
	$(foreach spark,$(SPARKS) $(OF_MAVEN),$(call sbt-of,$(spark)) jvm/checkFirstPatch &&) true

.PHONY: release-check
release-check: ## check that TAG is the version, and that CHANGELOG.md has its date
	@test "$(TAG)" = "v$(VERSION)" || { \
	  echo "TAG is '$(TAG)', and the version is $(VERSION): make release-check TAG=v$(VERSION)" >&2; exit 1; }
	@grep -Eq '^## $(VERSION), [0-9]{4}-[0-9]{2}-[0-9]{2}$$' CHANGELOG.md || { \
	  echo "CHANGELOG.md has no heading '## $(VERSION), YYYY-MM-DD'" >&2; exit 1; }
	@grep -Eq '^[Rr]epository *= *"https://' pyproject.toml || { \
	  echo 'pyproject.toml has no repository = "https://…" in [project.urls]' >&2; exit 1; }

# Tries the wheel in dist/ with the pyspark and the Python of a user: TRIED=python3.9 SPARK=4.0.
.PHONY: try-wheel
try-wheel: $(INSTALLED) ## try the wheel in dist/ in a clean environment
	$(VENV)/bin/python tests/try_wheel.py dist --python $(or $(TRIED),$(PYTHON)) --spark $(SPARK)

# Tries the first and the last patch of each minor version; TRY="4.0.0 4.3.0" names others. The
# pysparks of the environments here, and of the Pythons in HAVE="…", are not downloaded again.
# JAVA_HOME is the Java.
TRY := $(foreach patch,$(PATCHES),$(sort $(basename $(patch)).0 $(patch)))
HAVE := $(wildcard $(foreach spark,$(SPARKS),$(call python-of,$(spark))))

.PHONY: try-all
try-all: jars ## try the wheel with the first and last patch of every Spark: pip, doctor, --jars, --packages, examples
	rm -f dist/*.whl
	$(VENV)/bin/python -m build --wheel --no-isolation --outdir dist .
	$(VENV)/bin/python tests/try_all.py dist $(TRY) $(addprefix --have ,$(HAVE)) \
	  $(if $(wildcard $(MAVEN)/io),--repository $(MAVEN))

.PHONY: jar
jar: $(JAR) ## build the jar into python/muntin/jars/; SPARK=4.0: for that Spark

.PHONY: jars
jars: $(foreach spark,$(SPARKS),$(call jar-of,$(spark))) ## build the jars for all Sparks on PyPI

# Runs the Scala tests, the Python tests and the smoke tests of the other Sparks, JOBS at a time:
# a single one leaves cores idle. Each takes 4 GB, and the Scala tests take 9 GB. The Scala tests are
# not built for Spark 3.5, whose Scala is 2.12.
OTHERS := $(if $(filter $(SPARK),$(NEWEST)),$(OLDER))
JOBS ?= 2
BESIDE := style test-classic test-connect $(foreach spark,$(OTHERS),smoke-$(spark))

.PHONY: test
test: $(if $(filter 3.5,$(SPARK)),smoke-3.5,test-side-by-side) ## run every test and check; SPARK=4.0: on that Spark only

.PHONY: test-side-by-side
test-side-by-side: $(call python-of,$(SPARK))
	@$(VENV)/bin/python tests/side_by_side.py 2 \
	  '$(call sbt-of,$(SPARK)) scalafmtSbtCheck scalafmtCheckAll Test/compile jvm/package' \
	  '$(SELF) --no-print-directory environments SPARK=$(SPARK)'
	$(if $(strip $(TO_BUILD)),$(SBT) $(foreach spark,$(TO_BUILD),'spark $(spark)' jvm/package))
	@touch $(foreach spark,$(SPARK) $(OTHERS),$(call jar-of,$(spark)))
	@MUNTIN_TESTS=$${MUNTIN_TESTS:-gate} $(VENV)/bin/python tests/side_by_side.py $(JOBS) \
	  '$(call sbt-of,$(SPARK)) "all kernel/test jvm/test"' \
	  $(foreach job,$(BESIDE),'$(SELF) --no-print-directory $(job) SPARK=$(SPARK)')
	@$(VENV)/bin/python tests/slowest.py

# The other Sparks whose jars must be built.
TO_BUILD = $(foreach spark,$(OTHERS),$(shell test -e $(call jar-of,$(spark)) && \
	test -z "$$(find $(JAR_SOURCES) -newer $(call jar-of,$(spark)))" || echo $(spark)))

.PHONY: environments
environments: $(foreach spark,$(SPARK) $(OTHERS),$(call python-of,$(spark)))

# Runs functions, streams and --jars, classic and over Spark Connect, in a few minutes: under
# `make test` an eighth of them, and another eighth on the next Spark. PyPI's pyspark 3.5 does not contain
# a Spark Connect server.
.PHONY: $(foreach spark,$(SPARKS),smoke-$(spark))
.SECONDEXPANSION:
$(foreach spark,$(SPARKS),smoke-$(spark)): smoke-%: $$(call jar-of,$$*)
	@echo "On Spark $*:"
	$(call run-on,$*) -m pytest -q -m smoke --sample 8 $(if $(filter 3.5,$*),,--and-connect=8)

# pyspark over a Spark for the other Scala; its jars do not contain the program spark-sql.
.PHONY: smoke-maven
smoke-maven: $(OF_MAVEN_JAR) $(call python-of,3.5) ## run every function on the Spark 3.5 for Scala 2.13
	rm -rf build/spark-$(OF_MAVEN)
	mkdir -p build/spark-$(OF_MAVEN)/jars
	cp -R "$$($(call python-of,3.5) -c '$(PRINT_HOME)')/bin" build/spark-$(OF_MAVEN)/bin
	ln -s $(CURDIR)/jvm/target/$(OF_MAVEN)/spark-*/*.jar build/spark-$(OF_MAVEN)/jars/
	SPARK_HOME=$(CURDIR)/build/spark-$(OF_MAVEN) $(call run-on,3.5) -m pytest -q -m smoke \
	  --ignore tests/python/test_jar_alone.py

# Starts sbt once. The Python tests use the jar that it builds.
.PHONY: test-jvm
test-jvm: $(INSTALLED) $(call python-of,$(SPARK)) ## check and test the Scala side
	$(call sbt-of,$(SPARK)) scalafmtSbtCheck scalafmtCheckAll Test/compile kernel/test jvm/test \
	  jvm/package
	@touch $(JAR)
	@$(VENV)/bin/python tests/slowest.py

# Spark downloads the jars of the other extensions once: 100 MB.
.PHONY: test-beside
test-beside: $(foreach spark,$(SPARKS),$(call jar-of,$(spark))) ## test with Delta, Iceberg and Comet, on every Spark that they support
	$(foreach spark,$(SPARKS),$(call run-on,$(spark)) -m pytest -q -m beside tests/python/test_beside.py &&) true

# dbt has an environment of its own, because its packages need other versions of common packages. It
# shares pyspark with the environment of each Spark. Delta exists for Spark 4.1.
DBT_VENV := .venv-dbt
DBT_SPARKS := $(filter 3.5 4.1,$(SPARKS)) $(NEWEST)
PRINT_PACKAGES := import sysconfig; print(sysconfig.get_paths()["purelib"])

.PHONY: test-dbt
test-dbt: $(DBT_VENV)/.installed $(foreach spark,$(DBT_SPARKS),$(call jar-of,$(spark))) ## test the dbt package with dbt-spark
	$(foreach spark,$(DBT_SPARKS),$(call python-of,$(spark)) -c '$(PRINT_PACKAGES)' > \
	  "$$($(DBT_VENV)/bin/python -c '$(PRINT_PACKAGES)')/spark.pth" && \
	  PYTHONPATH=python $(DBT_VENV)/bin/python -m pytest -q -m dbt tests/python/test_dbt.py &&) true

$(DBT_VENV)/.installed: dbt/requirements.txt | $(INSTALLED)
	@test -x $(DBT_VENV)/bin/python || $(VENV)/bin/python -m venv $(DBT_VENV)
	$(DBT_VENV)/bin/python -m pip install --quiet -r $<
	@touch $@

# Downloads the broker and Spark's connector once: 60 MB.
.PHONY: test-kafka
test-kafka: $(JAR) ## test from Kafka to Kafka, with a broker on this machine
	$(call run-on,$(SPARK)) -m pytest -q -m kafka tests/python/test_kafka.py tests/python/test_latency.py

# Runs all random queries, with compiled code, and kills the process of a stream twenty times.
# MUNTIN_SHARD=2/6 runs the second of six parts; MUNTIN_STANDINS=no runs without the stand-ins for
# Spark's classes that save time.
.PHONY: test-long
test-long: export MUNTIN_TESTS := long
test-long: test ## run all tests, with every random query, and all code compiled

.PHONY: style
style: $(INSTALLED) ## check the Python side's style and types
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/vermin --quiet --no-tips --violations -t=3.9- python/muntin
	$(VENV)/bin/mypy $(wildcard python tests/python tests/peers examples benchmarks codegen website) conftest.py hatch_build.py $(wildcard tests/*.py)

# Twice, since one process holds either classic sessions or Spark Connect ones.
.PHONY: test-python
test-python: test-classic test-connect ## test the package, classic and over Spark Connect

.PHONY: test-classic
test-classic: $(JAR)
	$(call run-on,$(SPARK)) -m pytest --durations 10

.PHONY: test-connect
test-connect: $(JAR)
	$(call run-on,$(SPARK)) -m pytest --spark-connect --sample 4

.PHONY: generate
generate: $(INSTALLED) ## write the functions of Python and docs/, from codegen/definitions
	$(VENV)/bin/python -m codegen

# The generator has an environment of its own, without pyspark: it reads the package's docstrings.
SITE := build/site
SCALADOC := jvm/target/$(NEWEST)/scala-2.13/api/index.html

.PHONY: docs
docs: $(DOCS_INSTALLED) $(SCALADOC) ## build the site into build/site; a broken link is an error
	$(DOCS_VENV)/bin/python -m website build
	cp -R $(dir $(SCALADOC)) build/pages/scala
	$(DOCS_VENV)/bin/zensical build --clean --strict
	@test -f $(SITE)/scala/io/muntin/functions$$.html
	@echo "$(SITE)/index.html; in a browser: $(PYTHON) -m http.server --directory $(SITE)"

$(SCALADOC): $(JAR_SOURCES) | $(INSTALLED)
	$(SBT) jvm/doc
	@touch $@

$(DOCS_INSTALLED): pyproject.toml | needs-python
	@test -x $(DOCS_VENV)/bin/python || $(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -c 'import tomllib; \
	print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], \
	sep="\n")' | $(DOCS_VENV)/bin/python -m pip install --quiet -r /dev/stdin
	@touch $@

.PHONY: pictures
pictures: $(JAR) ## draw the windows of the pages into docs/images/
	$(RUN) -c "from website import pictures; pictures.draw()"

.PHONY: notebooks
notebooks: $(JAR) ## run the notebooks of examples/, with what they print and draw
	$(VENV)/bin/python -m pip install --quiet --editable '.[notebooks]'
	$(RUN) -m website.notebooks

.PHONY: format
format: $(INSTALLED) ## format all code
	$(SBT) scalafmtSbt scalafmtAll
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format

.PHONY: clean
clean: ## remove what was built, but not .venv
	rm -rf dist build target jvm/target jvm/kernel/target project/target project/project python/muntin/jars

spark-of = $(firstword $(subst _, ,$(patsubst muntin-spark-%,%,$(notdir $(1)))))

$(foreach spark,$(SPARKS),$(call jar-of,$(spark))): $(JAR_SOURCES) | $(INSTALLED)
	@$(MAKE) --no-print-directory $(call python-of,$(call spark-of,$@))
	@rm -f $(subst -$(VERSION).jar,-*.jar,$@)
	$(call sbt-of,$(call spark-of,$@)) jvm/package
	@touch $@

$(OF_MAVEN_JAR): $(JAR_SOURCES) | $(INSTALLED)
	@rm -f $(subst -$(VERSION).jar,-*.jar,$@)
	$(call sbt-of,$(OF_MAVEN)) jvm/package
	@touch $@

$(VENV)/bin/python: $(INSTALLED) ;

$(foreach spark,$(OLDER),$(call python-of,$(spark))): $(VENV)-%/bin/python: $(VENV)-%/.installed ;

# Spark 3.5 is for NumPy 1, and later pyarrows are for NumPy 2 alone.
$(VENV)-%/.installed: project/SparkVersions.scala pyproject.toml | $(INSTALLED)
	@test -x $(VENV)-$*/bin/python || $(VENV)/bin/python -m venv $(VENV)-$*
	@echo "Filling $(VENV)-$* with pyspark $(call patch-of,$*) (400 MB)."
	$(VENV)-$*/bin/python -m pip install --quiet --editable '.[older]' \
	  'pyspark[connect]==$(call patch-of,$*)' $(if $(filter 3.5,$*),'pyarrow<20')
	@touch $@

$(INSTALLED): pyproject.toml | needs-java needs-python
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@echo "Filling $(VENV); the first time this takes a few minutes (Spark alone is 400 MB)."
	$(VENV)/bin/python -m pip install --quiet --editable '.[dev]'
	@touch $@

.PHONY: needs-java
needs-java:
	@version=$$("$(JAVA)" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p'); \
	compiler=$$(command -v "$(JAVA)c"); \
	if [ "$${version:-0}" -lt 17 ] || [ -z "$$compiler" ]; then \
	  echo "Muntin needs the JDK of Java 17 or later, as Spark does; found: Java" \
	    "$${version:-none}, $${compiler:-no javac}. Install it:"; \
	  case "$$(uname -s)" in \
	    Darwin) echo '    brew install openjdk@17 && export JAVA_HOME="$$(brew --prefix openjdk@17)"';; \
	    *) if command -v dnf >/dev/null; then echo "    sudo dnf install java-17-openjdk-devel"; \
	       else echo "    sudo apt-get install -y openjdk-17-jdk-headless"; \
	         echo "(openjdk-21-jdk-headless, where the system has no 17)"; fi;; \
	  esac; \
	  echo "(Where there are several, JAVA_HOME names the one to use.)"; \
	  exit 1; \
	fi >&2

.PHONY: needs-python
needs-python:
	@test -n "$(PYTHON)" || { \
	  echo "PySpark 4.3 needs Python 3.11 or later, and there is none on the PATH." \
	    "Name one: make PYTHON=/path/to/python ..." >&2; exit 1; }
