"""Sessions with Muntin, for each way to start a session, and errors of sessions without Muntin."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import muntin as mt
import pyspark
import pytest
from installed import LOCAL, SPARK_HOME, Command, Installed
from older import is_before

pytestmark = [pytest.mark.packaging, pytest.mark.sampled(5)]

SUBMIT: Command = [SPARK_HOME / "bin" / "spark-submit", "--conf", "spark.ui.enabled=false"]

JARS = """
import muntin as mt

def jars_of_executors():
    from pyspark import SparkContext
    listed = SparkContext._active_spark_context._jsc.sc().listJars().mkString(",").split(",")
    return sorted(jar.rsplit("/", 1)[1] for jar in listed if jar)

def is_in_driver(resource):
    from pyspark import SparkContext
    loader = SparkContext._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    return loader.getResource(resource) is not None

OWN = mt.jar().rsplit("/", 1)[1]
"""

# Calls of every window function, by name.
CALLS = """
from datetime import datetime, timedelta
from pyspark.sql import Window
from pyspark.sql import functions as F

CALLS = {
    "sliding": lambda d: mt.sliding(F.avg("id"), 3),
    "since": lambda d: mt.since(F.count("*"), F.col("id") > 1),
    "framed": lambda d: mt.framed(F.avg("id")),
    "is_complete": lambda d: mt.is_complete(F.avg("id")),
    "bound": lambda d: mt.bound("id"),
    "partial": lambda d: mt.partial(F.avg("id")),
    "merge_partial": lambda d: mt.merge_partial(F.avg("id")),
    "nth": lambda d: mt.nth("id", 2),
    "rate": lambda d: mt.rate("id", "id"),
    "completeness": lambda d: mt.completeness("id"),
    "delta": lambda d: mt.delta("id"),
    "pct_change": lambda d: mt.pct_change("id"),
    "field_window": lambda d: mt.field_window("id", 3),
    "tumble": lambda d: mt.tumble("id", 3),
    "hop": lambda d: mt.hop("id", 1, 3),
    "validity": lambda d: mt.validity("id", "id"),
    "intervals": lambda d: mt.intervals(F.count("*"), "id", "id"),
    "ticks": lambda d: mt.ticks("id", "daily"),
    "over": lambda d: mt.over("k", "id", range=(timedelta(-1), timedelta(0))),
    "rolling": lambda d: mt.rolling(F.avg("id"), 3, order_by="id"),
    "complete": lambda d: mt.complete(d, F.avg("id").over(Window.orderBy("id").rowsBetween(-1, 0))),
    "window_by": lambda d: mt.window_by(d, d, time="id", start="id", end="id"),
    "pending": lambda d: mt.pending(d, "checkpoint"),
    "bootstrap": lambda d: mt.bootstrap(d, d, "checkpoint"),
    "compare": lambda d: mt.compare(d, "checkpoint"),
    "change": lambda d: mt.change(d, "checkpoint", "to"),
    "state": lambda d: mt.state(d.sparkSession, "checkpoint"),
    "refresh": lambda d: mt.refresh(d, "target", d),
    "affected": lambda d: mt.affected(d, "target", d),
    "restore": lambda d: mt.restore(d.sparkSession, "checkpoint", "to"),
    "repartition": lambda d: mt.repartition(d.sparkSession, "checkpoint", 2, "to"),
    "window_rows": lambda d: mt.window_rows(F.avg("id"), "id"),
    "picture": lambda d: mt.picture(d, F.avg("id").over(Window.orderBy("id"))),
}

def assert_all_refuse(data, remedy):
    for name, call in CALLS.items():
        try:
            call(data)
        except mt.MuntinError as error:
            assert error.getErrorClass().startswith("MUNTIN_NOT_ACTIVE"), error
            assert error.getMessageParameters()["function"] == name, error
            assert remedy in str(error), error
        else:
            raise AssertionError(name + " was taken")
"""


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Create a jar of the user."""
    path = tmp_path / "the user's other.jar"
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("other.txt", "other")
    return path


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,1,1024]"])
def test_a_job_that_configures(installed: Installed, other: Path, master: str) -> None:
    installed.script(
        JARS
        + f"""
spark = mt.configure(SparkSession.builder).getOrCreate()
assert mt.is_active(spark)
assert_works(spark)
assert jars_of_executors() == sorted([OWN, {other.name.replace(" ", "%20")!r}])
assert is_in_driver("other.txt")
spark.stop()
""",
        launcher=[*SUBMIT, "--master", master, "--jars", other],
    )


def test_a_job_with_muntin_among_its_jars(installed: Installed) -> None:
    installed.script(
        JARS
        + """
spark = mt.configure(SparkSession.builder).getOrCreate()
assert_works(spark)
assert jars_of_executors() == [OWN], jars_of_executors()
""",
        launcher=[*SUBMIT, "--master", "local[2]", "--jars", installed.jar],
    )


def test_a_context_without_a_session(installed: Installed) -> None:
    installed.script(
        JARS
        + """
from pyspark import SparkConf, SparkContext
conf = SparkConf().setMaster("local[2]").setAppName("a").set("spark.ui.enabled", "false")
SparkContext(conf=conf)
assert_works(mt.configure(SparkSession.builder).getOrCreate())
assert jars_of_executors() == [OWN]
"""
    )


@pytest.mark.parametrize("place", ["defaults", "variable", "before", "after", "argument"])
@pytest.mark.parametrize("begin", [LOCAL, '.remote("local[2]")'])
def test_the_users_jars_stay(
    installed: Installed, other: Path, tmp_path: Path, place: str, begin: str
) -> None:
    setting = f'.config("spark.jars", {str(other)!r})'
    before = setting if place == "before" else ""
    after = setting if place == "after" else ""
    argument = f", jars=[{str(other)!r}]" if place == "argument" else ""
    variables = {}
    if place == "defaults":
        (tmp_path / "spark-defaults.conf").write_text(f"spark.jars {other}\n")
        variables = {"SPARK_CONF_DIR": str(tmp_path)}
    elif place == "variable":
        variables = {"PYSPARK_SUBMIT_ARGS": f'--jars "{other}" pyspark-shell'}
    installed.script(
        JARS
        + f"""
builder = SparkSession.builder{begin}{before}
assert mt.configure(builder{argument}) is builder
spark = builder{after}.getOrCreate()
assert_works(spark)
assert len(jars_of_executors()) == 2 and OWN in jars_of_executors(), jars_of_executors()
assert is_in_driver("other.txt")
again = mt.configure(type(spark).builder).getOrCreate()
assert again is spark
""",
        variables=variables,
    )


def extension(folder: Path) -> Path:
    """Create a Maven repository with a session extension, like Delta's and Iceberg's."""
    source = folder / "Extension.java"
    source.write_text("""
        package other;
        public class Extension extends scala.runtime.AbstractFunction1<
                org.apache.spark.sql.SparkSessionExtensions, scala.runtime.BoxedUnit> {
            public scala.runtime.BoxedUnit apply(
                    org.apache.spark.sql.SparkSessionExtensions extensions) {
                System.setProperty("other.extension", "applied");
                return scala.runtime.BoxedUnit.UNIT;
            }
        }""")
    home = os.environ.get("JAVA_HOME")
    javac = Path(home, "bin", "javac") if home else "javac"
    classes: Command = ["-cp", f"{SPARK_HOME}/jars/*", "-d", folder / "classes"]
    subprocess.run([javac, *classes, source], check=True)
    place = folder / "repository/org/example/other/1.0"
    place.mkdir(parents=True)
    with zipfile.ZipFile(place / "other-1.0.jar", "w") as jar:
        jar.write(folder / "classes/other/Extension.class", "other/Extension.class")
        jar.writestr("other.txt", "other")
    (place / "other-1.0.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
        "<artifactId>other</artifactId><version>1.0</version></project>"
    )
    settings = folder / "ivysettings.xml"
    settings.write_text(
        '<ivysettings><settings defaultResolver="here"/><resolvers><ibiblio name="here" '
        f'm2compatible="true" root="{(folder / "repository").as_uri()}"/></resolvers></ivysettings>'
    )
    return settings


@pytest.mark.parametrize("begin", [LOCAL, '.remote("local[2]")'])
def test_the_users_packages_and_extensions_stay(
    installed: Installed, tmp_path: Path, begin: str
) -> None:
    settings = {
        "spark.jars.packages": "org.example:other:1.0",
        "spark.jars.ivySettings": str(extension(tmp_path)),
        "spark.jars.ivy": str(tmp_path / "ivy"),
        "spark.sql.extensions": "other.Extension",
    }
    installed.script(
        JARS
        + f"""
spark = mt.configure(SparkSession.builder{begin}.config(map={settings!r})).getOrCreate()
assert_works(spark)
assert spark.conf.get("spark.sql.extensions") == "other.Extension"
assert spark.conf.get("spark.jars.packages") == "org.example:other:1.0"
assert is_in_driver("other.txt")
assert sorted(jars_of_executors()) == sorted([OWN, "org.example_other-1.0.jar"])
from pyspark import SparkContext
assert SparkContext._jvm.java.lang.System.getProperty("other.extension") == "applied"
"""
    )


def test_a_running_session_configured(installed: Installed, other: Path) -> None:
    installed.script(
        JARS
        + f"""
plain = SparkSession.builder{LOCAL}.getOrCreate()
assert not mt.is_active(plain)
spark = mt.configure(SparkSession.builder, jars=[{str(other)!r}]).getOrCreate()
assert mt.is_active(spark)
assert_works(spark)
assert len(jars_of_executors()) == 2
assert is_in_driver("other.txt")
"""
        # Classic sessions have it since Spark 4.2.
        + ("" if is_before("4.2") else "assert_works(mt.configure(SparkSession.builder).create())")
    )


def test_spark_finds_the_registered_session(installed: Installed) -> None:
    installed.script(f"""
        import muntin as mt
        from pyspark.sql import functions as F
        spark = SparkSession.builder{LOCAL}.getOrCreate()
        spark.conf.set("spark.sql.shuffle.partitions", "7")
        spark.range(3).createOrReplaceTempView("three")
        assert spark.catalog.tableExists("three")
        before = spark.range(4)
        unlike = spark.newSession()
        assert unlike.range(3).count() == 3

        mt.register(spark)
        three = mt.rolling(F.sum("id"), 3, order_by="id")
        assert spark.range(4).select(three).count() == 4
        assert SparkSession.getActiveSession() is spark
        assert SparkSession.builder.getOrCreate() is spark
        sessions = spark._jvm.org.apache.spark.sql.classic.SparkSession
        assert sessions.getDefaultSession().get().equals(spark._jsparkSession)
        assert sessions.getActiveSession().get().equals(spark._jsparkSession)
        assert spark.conf.get("spark.sql.shuffle.partitions") == "7"
        spark.conf.set("spark.sql.shuffle.partitions", "5")
        assert spark.sql("SET spark.sql.shuffle.partitions").first().value == "5"
        spark.range(2).createOrReplaceTempView("two")
        assert spark.catalog.tableExists("two") and spark.catalog.tableExists("three")

        # Earlier DataFrames still work, without Muntin's functions.
        assert before.count() == 4
        assert has_muntin(spark) and not mt.is_active(unlike)

        # A session that is not the default does not become it.
        mt.register(unlike)
        assert mt.is_active(unlike)
        assert SparkSession.builder.getOrCreate() is spark
        assert sessions.getDefaultSession().get().equals(spark._jsparkSession)
    """)


def test_every_function_without_muntin_raises_an_error_in_a_classic_session(
    installed: Installed,
) -> None:
    installed.script(
        JARS
        + CALLS
        + f"""
spark = SparkSession.builder{LOCAL}.getOrCreate()
other = spark.newSession()
assert other.range(3).count() == 3
assert_all_refuse(spark.range(3), "mt.register(spark)")

# A column may be for any session of the process; only a DataFrame determines the session.
mt.register(other)
column = mt.rolling(F.sum("id"), 2, order_by="id")
assert other.range(3).select(column).count() == 3
for name in ["complete", "window_by"]:
    CALLS[name](other.range(3))
    try:
        CALLS[name](spark.range(3))
    except mt.MuntinError as error:
        assert error.getMessageParameters()["function"] == name, error
    else:
        raise AssertionError(name)

# A second call does not query Spark.
def ask(*arguments):
    raise SystemExit("asked")
from muntin import _bootstrap, _jvm
SparkSession.active = _jvm.is_active = _bootstrap.sessions = ask
assert mt.is_active(other)
mt.sliding(F.avg("id"), 3)
mt.over("k", "id", range=(timedelta(-1), timedelta(0)))
"""
    )


def test_columns_without_a_session(installed: Installed) -> None:
    installed.script(
        JARS
        + CALLS
        + """
for name in CALLS.keys() - {
    "complete",
    "window_by",
    "affected",
    "pending",
    "bootstrap",
    "compare",
    "change",
    "refresh",
    "repartition",
    "restore",
    "state",
    "picture",
}:
    CALLS[name](None)
""",
        variables={"SPARK_CONNECT_MODE_ENABLED": "1"},
    )


def test_every_function_without_muntin_raises_an_error_over_connect(
    installed: Installed, server: int
) -> None:
    installed.script(
        JARS
        + CALLS
        + f"""
spark = SparkSession.builder.remote("local[2]").getOrCreate()
assert "connect" in type(spark).__module__
assert_all_refuse(spark.range(3), "start-connect-server.sh --jars " + mt.jar())
for begin in [mt.configure(SparkSession.builder).getOrCreate, lambda: mt.register(spark)]:
    try:
        begin()
    except mt.MuntinError as error:
        assert "start-connect-server.sh --jars " + mt.jar() in str(error), error
    else:
        raise AssertionError("a session without Muntin was taken")

# Another server has it.
other = type(spark).builder.remote("sc://localhost:{server}").create()
assert SparkSession.getActiveSession() is spark
column = mt.rolling(F.sum("id"), 2, order_by="id")
assert other.range(3).select(column).count() == 3
assert mt.is_active(other) and not mt.is_active(spark)

# Neither result is queried twice.
def ask(*arguments, **named):
    raise SystemExit("asked")
spark._client._analyze = other._client._analyze = ask
spark._client.execute_command = other._client.execute_command = ask
assert mt.is_active(other) and not mt.is_active(spark)
mt.sliding(F.avg("id"), 3)
"""
    )


def test_configure_for_a_remote_server(installed: Installed, server: int) -> None:
    installed.script(f"""
        import muntin as mt
        builder = SparkSession.builder.remote("sc://localhost:{server}")
        spark = mt.configure(builder).getOrCreate()
        assert_works(spark)
        try:
            mt.configure(builder, jars=["a.jar"]).getOrCreate()
        except mt.MuntinError as error:
            assert "spark.addArtifacts" in str(error), error
        else:
            raise AssertionError("jars were accepted and not used")
    """)


@pytest.fixture
def without(installed: Installed, tmp_path: Path) -> tuple[Path, Path]:
    """Return a Python without packages, and a folder for its packages, which contains muntin."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "muntin").symlink_to(installed.folder)
    return tmp_path / "venv" / "bin" / "python", packages


def test_without_pyspark(installed: Installed, without: tuple[Path, Path]) -> None:
    python, packages = without
    variables = {"PYTHONPATH": str(packages)}
    run: Command = [python, "-m", "muntin"]
    assert installed.run([*run, "version"], variables=variables).stdout == f"{mt.version()}\n"
    assert installed.run([*run, "--version"], variables=variables).stdout == f"{mt.version()}\n"
    told = installed.run([*run, "jar", "--spark", pyspark.__version__], variables=variables).stdout
    assert Path(told.strip()).samefile(installed.jar)
    done = installed.run([*run, "doctor"], variables=variables, fails=True)
    assert "!!  pyspark   missing" in done.stdout
    assert "pip install 'pyspark>=3.5,<4.4'" in done.stdout
    assert "pip install 'pyspark-client>=4.0,<4.4'" in done.stdout
    assert done.stderr == ""
    for use in [
        "import muntin as mt; mt.configure",
        "from muntin import sliding",
        "from muntin import functions",
    ]:
        program: Command = [python, "-c", use]
        done = installed.run(program, variables=variables, fails=True)
        assert "needs pyspark. Install" in done.stderr
        assert "pip install 'pyspark>=3.5,<4.4'" in done.stderr
    nothing = "import muntin as mt; assert not hasattr(mt, 'heal') and mt.version()"
    program = [python, "-c", nothing]
    installed.run(program, variables=variables)


def test_a_client_without_py4j(
    installed: Installed, without: tuple[Path, Path], server: int
) -> None:
    python, packages = without
    for path in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not path.name.startswith(("py4j", "pyspark", "muntin", "_", "distutils")):
            (packages / path.name).symlink_to(path)
    (packages / "pyspark").mkdir()
    for path in SPARK_HOME.iterdir():  # like pyspark-client
        if path.name not in ("core", "jars", "bin", "sbin"):
            (packages / "pyspark" / path.name).symlink_to(path)
    installed.script(
        f"""
        import sys
        import muntin as mt
        from pyspark.sql import functions as F
        assert "py4j" not in sys.modules
        builder = SparkSession.builder.remote("sc://localhost:{server}")
        spark = mt.configure(builder).getOrCreate()
        assert mt.is_active(spark)
        assert mt.register(spark) is spark
        assert spark.range(3).select(mt.rolling(F.sum("id"), 2, order_by="id")).count() == 3
        """,
        launcher=[python],
        variables={"PYTHONPATH": str(packages)},
    )
    variables = {"PYTHONPATH": str(packages), "SPARK_REMOTE": f"sc://localhost:{server}"}
    doctor: Command = [python, "-m", "muntin", "doctor"]
    told = installed.run(doctor, variables=variables).stdout
    assert "Muntin is active in a new session" in told
    assert "!!" not in told
    variables.pop("SPARK_REMOTE")
    told = installed.run(doctor, variables=variables, fails=True).stdout
    assert "!!  session   none: this is pyspark-client" in told
