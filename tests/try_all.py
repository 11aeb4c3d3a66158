"""Tries the wheel with every Spark, as users would, and prints a table of Sparks and steps.

For each version of pyspark, pip installs the wheel from a folder into a clean environment with that
pyspark. Then the steps below run, each as a separate program. A failure is printed immediately.

A pyspark on this machine need not be downloaded again (400 MB): --have names a Python that imports
it, and the clean environment uses only that pyspark and its py4j.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
OTHERS = ("PYTHON", "PYSPARK", "SPARK", "MUNTIN")  # variables of the caller's environment
LONGEST = 900  # the maximum seconds of a step
# Most code runs only a few times, so optimizing it takes longer than it saves.
QUICKLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SCALA = {"quickstart.scala": "Quickstart", "retracting.scala": "MostCommon"}
PROGRAM = "examples.jar"
QUERY = "EXPLAIN SELECT sum(id) OVER (ORDER BY id) FROM range(3)"
OPERATOR = "MuntinWindow"
POM = """<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.muntin</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
</project>
"""


class StepError(Exception):
    """A step has failed."""


@dataclass
class Tried:
    """One pyspark, and the error of each step, if any."""

    spark: str
    scala: str = ""
    steps: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Environment:
    """A clean environment with a pyspark."""

    folder: Path
    home: Path
    """The pyspark, which is a Spark, too."""

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    def run(self, *command: str | Path, expect: str = "") -> str:
        """Run a program, and return its output. It must succeed, and print a text."""
        path = os.pathsep.join([str(self.python.parent), str(self.home / "bin")])
        kept = {n: v for n, v in os.environ.items() if not n.startswith(OTHERS)}
        added = {
            "PATH": f"{path}{os.pathsep}{kept['PATH']}",
            "SPARK_HOME": str(self.home),
            "SPARK_CONF_DIR": str(self.folder / "conf"),
            "PYSPARK_PYTHON": str(self.python),
            "SPARK_SUBMIT_OPTS": QUICKLY,
        }
        try:
            done = subprocess.run(
                list(command),
                cwd=self.folder,
                env=kept | added,
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired as late:
            raise StepError(f"{command} has not ended after {LONGEST} s") from late
        if done.returncode != 0 or expect not in done.stdout:
            text = " ".join(map(str, command))
            said = f"{done.stdout[-1500:]}\n{done.stderr[-2500:]}"
            wanted = f" and has not printed {expect!r}" if expect else ""
            raise StepError(f"{text}\nended with {done.returncode}{wanted}\n{said}")
        return done.stdout


def install(environment: Environment, dist: Path) -> None:
    """Install the wheel with pip, and check that no other package changes."""

    def there() -> set[str]:
        return set(environment.run(environment.python, "-m", "pip", "freeze").splitlines())

    before = there()
    options = ["--quiet", "--no-index", "--find-links", str(dist)]
    environment.run(environment.python, "-m", "pip", "install", *options, "muntin")
    changed = before ^ there()
    if any(not line.startswith("muntin") for line in changed) or not changed:
        raise StepError(f"pip has changed {changed}")


def readme(environment: Environment) -> None:
    """Run the first block of the README, and compare its output with the README."""
    text = (ROOT / "README.md").read_text()
    block, table = re.findall(r"```python\n(import muntin.*?)```\s*```text\n(.*?)```", text, re.S)[
        0
    ]
    (environment.folder / "first.py").write_text(block)
    environment.run(environment.python, "first.py", expect=table)


def sql(environment: Environment, *options: str | Path) -> None:
    """Check that the spark-sql of the pyspark prints a plan with Muntin."""
    common = ["--master", "local[1]", "--conf", "spark.ui.enabled=false"]
    program = environment.home / "bin" / "spark-sql"
    environment.run(program, *common, *options, "-e", QUERY, expect=OPERATOR)


def packages(environment: Environment, repository: Path, artifact: str, version: str) -> None:
    """Let Spark download the jar by its coordinates into an empty cache."""
    ivy = environment.folder / "ivy"
    coordinates = f"io.muntin:{artifact}:{version}"
    options = ["--packages", coordinates, "--repositories", repository.as_uri()]
    sql(environment, *options, "--conf", f"spark.jars.ivy={ivy}")
    fetched = [path.name for path in (ivy / "jars").glob("*")]
    if fetched != [f"io.muntin_{artifact}-{version}.jar"]:
        raise StepError(f"--packages {coordinates} has fetched {fetched}")


def compile_scala(environment: Environment, jar: Path) -> None:
    """Compile the examples in Scala with the compiler in the pyspark."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else "java"
    compiler: list[str | Path] = [java, *QUICKLY.split()]
    compiler += ["-cp", f"{environment.home}/jars/*:{jar}", "scala.tools.nsc.Main", "-usejavacp"]
    examples = [EXAMPLES / name for name in SCALA]
    environment.run(*compiler, "-d", environment.folder / PROGRAM, *examples)


def submit(environment: Environment, main: str, jar: Path) -> None:
    """Submit an example in Scala."""
    program = environment.home / "bin" / "spark-submit"
    options: list[str | Path] = ["--master", "local[2]", "--class", main, "--jars", jar]
    environment.run(program, *options, environment.folder / PROGRAM, expect=OPERATOR)


def tried(spark: str, have: str | None, dist: Path, repository: Path) -> Tried:
    """Run all steps with one pyspark, if its environment can be created."""
    outcome = Tried(spark)
    with tempfile.TemporaryDirectory(prefix=f"spark-{spark}-") as folder:

        def step(name: str, act: Callable[[], object]) -> bool:
            began = time.perf_counter()
            try:
                act()
                outcome.steps[name] = ""
            except Exception as error:
                outcome.steps[name] = str(error)
            outcome.seconds[name] = time.perf_counter() - began
            said = "no" if outcome.steps[name] else "ok"
            print(f"{spark}  {name:<17} {said}  {outcome.seconds[name]:.0f} s", flush=True)
            if said == "no":
                print(outcome.steps[name], flush=True)
            return said == "ok"

        made: list[Environment] = []
        if not step("environment", lambda: made.append(clean(Path(folder), spark, have))):
            return outcome
        (environment,) = made
        python = environment.python
        if not step("pip install", lambda: install(environment, dist)):
            return outcome
        jar = Path(environment.run(python, "-m", "muntin", "jar").strip())
        artifact, version = jar.stem.rsplit("-", 1)
        outcome.scala = artifact.rsplit("_", 1)[1]
        step("README", lambda: readme(environment))
        step(
            "doctor",
            lambda: environment.run(
                python, "-m", "muntin", "doctor", expect="Muntin is active in a new session"
            ),
        )
        step("--jars", lambda: sql(environment, "--jars", jar))
        step("--packages", lambda: packages(environment, repository, artifact, version))
        step(
            "quickstart.py",
            lambda: environment.run(python, EXAMPLES / "quickstart.py", expect=OPERATOR),
        )
        step("quickstart.sql", lambda: in_sql(environment, jar))
        if step("scalac", lambda: compile_scala(environment, jar)):
            for name, main in SCALA.items():
                step(name, partial(submit, environment, main, jar))
        step("streams.py", lambda: streams(environment, spark))
    return outcome


def streams(environment: Environment, spark: str) -> None:
    """Run the example of streams, which Spark 3.5 must reject with the reason."""
    program = [environment.python, EXAMPLES / "streams.py"]
    if not spark.startswith("3.5."):
        environment.run(*program, expect="rows were emitted, as in a batch")
        return
    try:
        environment.run(*program)
    except StepError as refused:
        if "[MUNTIN_STREAMS_REQUIRE_SPARK_4]" not in str(refused):
            raise
    else:
        raise StepError("windows over a stream have run, which the documentation denies")


def in_sql(environment: Environment, jar: Path) -> None:
    program = environment.home / "bin" / "spark-sql"
    options: list[str | Path] = ["--master", "local[2]", "--jars", jar]
    environment.run(program, *options, "-f", EXAMPLES / "quickstart.sql", expect=OPERATOR)


def clean(folder: Path, spark: str, have: str | None) -> Environment:
    """Create an environment with a pyspark, from an index or from this machine."""
    outside = Environment(folder, folder)
    outside.run(sys.executable, "-m", "venv", "venv")
    conf = folder / "conf"
    conf.mkdir()
    # Otherwise Derby creates a metastore here.
    (conf / "spark-defaults.conf").write_text("spark.sql.catalogImplementation in-memory\n")
    python = outside.python
    if have is None:
        outside.run(python, "-m", "pip", "install", "--quiet", f"pyspark=={spark}")
    else:
        show = "import pyspark; print(pyspark.__path__[0])"
        there = Path(outside.run(have, "-c", show).strip()).parent
        show = "import sysconfig; print(sysconfig.get_path('purelib'))"
        packages = Path(outside.run(python, "-c", show).strip())
        for path in there.iterdir():
            if path.name.split("-")[0] in ("pyspark", "py4j"):
                (packages / path.name).symlink_to(path)
    show = "import pyspark; print(pyspark.__version__, pyspark.__path__[0])"
    version, home = outside.run(python, "-c", show).split(maxsplit=1)
    if version != spark:
        raise StepError(f"this is pyspark {version}")
    return Environment(folder, Path(home.strip()))


def repository_of(wheel: Path, folder: Path) -> Path:
    """Create a Maven repository with the jars of the wheel."""
    with zipfile.ZipFile(wheel) as packed:
        for name in packed.namelist():
            jar = re.fullmatch(r"muntin/jars/((muntin-spark-[^-]+)-(.+))\.jar", name)
            if jar:
                release = folder / "io" / "muntin" / jar[2] / jar[3]
                release.mkdir(parents=True)
                (release / f"{jar[1]}.jar").write_bytes(packed.read(name))
                pom = POM.format(artifact=jar[2], version=jar[3])
                (release / f"{jar[1]}.pom").write_text(pom)
    return folder


def show(outcomes: Iterable[Tried]) -> None:
    """Print the table."""
    rows = list(outcomes)
    names = list(dict.fromkeys(name for row in rows for name in row.steps))
    print(f"\n| step | {' | '.join(row.spark for row in rows)} |")
    print(f"|---|{'---|' * len(rows)}")
    print(f"| Scala | {' | '.join(row.scala or '-' for row in rows)} |")
    for name in names:
        said = ["-" if name not in r.steps else "NO" if r.steps[name] else "ok" for r in rows]
        print(f"| {name} | {' | '.join(said)} |")
    print(f"| seconds | {' | '.join(f'{sum(r.seconds.values()):.0f}' for r in rows)} |")


def java_version() -> str:
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else "java"
    done = subprocess.run([java, "-version"], capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dist", type=Path, help="the folder with the wheel")
    parser.add_argument("sparks", nargs="+", help="versions of pyspark, such as 4.0.0")
    parser.add_argument("--repository", type=Path, help="a Maven repository; else the wheel's jars")
    parser.add_argument("--have", action="append", default=[], metavar="PYTHON")
    parser.add_argument("--jobs", type=int, default=1)
    said = parser.parse_args()
    dist = said.dist.resolve()
    (wheel,) = dist.glob("*.whl")
    # A link to a Python is a separate environment, so its path is not resolved.
    have = {version_of(python): str(Path(python).absolute()) for python in said.have}
    print(f"{java_version()}, Python {sys.version.split()[0]}, {wheel.name}", flush=True)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(said.jobs) as jobs:
        repository = (said.repository or repository_of(wheel, Path(folder))).resolve()
        outcomes = list(
            jobs.map(lambda spark: tried(spark, have.get(spark), dist, repository), said.sparks)
        )
    show(outcomes)
    if any(error for outcome in outcomes for error in outcome.steps.values()):
        sys.exit("\nNot all of it works.")
    print("\nAll of it works.")


def version_of(python: str) -> str:
    show = "import pyspark; print(pyspark.__version__)"
    done = subprocess.run([python, "-c", show], capture_output=True, text=True, check=False)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
