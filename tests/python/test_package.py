from __future__ import annotations

import ast
import os
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from types import ModuleType

import muntin as mt
import pyspark
import pytest
from conditions import raises
from muntin import _calls, _doctor, _jar, _kinds, _paths, _settings, _spark_here, _sparks
from muntin.__main__ import main
from older import is_before
from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]


def test_git_does_not_contain_jars_or_data() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE)
    if listed.returncode != 0:
        pytest.skip("no checkout of git's")
    files = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    assert len(files) > 1_000
    kinds = {".jar", ".whl", ".parquet", ".csv", ".arrow"}
    assert [file for file in files if file.suffix in kinds] == []
    assert [file for file in files if file.exists() and file.stat().st_size > 500_000] == []


@pytest.fixture
def no_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(_jar, "_FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def all_jars(no_jar: Path) -> Path:
    """Create the jars of a release, and a jar for another Scala."""
    for spark in _sparks.SPARKS:
        (no_jar / f"muntin-spark-{spark.minor}_{spark.scala}-{mt.version()}.jar").touch()
    (no_jar / f"muntin-spark-4.1_3.3-{mt.version()}.jar").touch()
    return no_jar


def home(path: Path, version: str, scala: str) -> str:
    (path / "jars").mkdir(parents=True)
    (path / "jars" / f"spark-core_{scala}-{version}.jar").touch()
    return str(path)


@pytest.fixture
def other_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARK_HOME", home(tmp_path / "home", "4.4.0", "2.13"))


def test_session_is_active(spark: SparkSession) -> None:
    assert mt.is_active(spark)
    # Sessions of Spark Connect have newSession since Spark 4.3.
    if "connect" not in type(spark).__module__ or not is_before("4.3"):
        assert mt.is_active(spark.newSession())


@pytest.mark.parametrize("wrong", [SparkSession, "spark", None])
def test_is_active_requires_a_session(wrong: object) -> None:
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", function="is_active"):
        mt.is_active(wrong)  # type: ignore[arg-type]


def test_is_active_ignores_the_setting_of_over(spark: SparkSession) -> None:
    spark.conf.set("spark.muntin.over.enabled", "false")
    try:
        _calls._known.pop(spark)
        assert mt.is_active(spark)
    finally:
        spark.conf.unset("spark.muntin.over.enabled")


def test_spark_reads_the_setting(spark: SparkSession) -> None:
    assert spark.conf.get("spark.muntin.over.enabled") == "true"


def test_register_returns_a_session_that_has_muntin(spark: SparkSession) -> None:
    assert mt.register(spark) is spark


def test_register_requires_a_session() -> None:
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", function="register", argument="'spark'"):
        mt.register("spark")  # type: ignore[arg-type]


def test_jar_has_this_version() -> None:
    path = Path(mt.jar())
    assert path.is_file()
    spark = _sparks.spark_of(pyspark.__version__)
    assert spark is not None
    assert path.name == f"muntin-spark-{spark.minor}_{spark.scala}-{mt.version()}.jar"


@pytest.mark.parametrize(
    "name", ["muntin-spark-4.3_2.13-0.0.1.jar", "other.jar", "muntin-spark-4.3_2.13.jar"]
)
def test_a_jar_of_another_version_is_ignored(no_jar: Path, name: str) -> None:
    (no_jar / name).touch()
    with raises(mt.MuntinError, "MUNTIN_MISSING_JAR", jars="none"):
        mt.jar()


@pytest.mark.parametrize(
    ("version", "scala", "expected"),
    [
        ("4.1.0", "3.3", "4.1_3.3"),
        ("3.5.1-amzn-0", "2.12", "3.5_2.12"),
        ("4.0.0-amzn-1", "2.13", "4.0_2.13"),
        ("4.0.0", "2.13", "4.0_2.13"),
        ("4.1.4", "2.13", "4.1_2.13"),
        ("4.2.0.dev5", "2.13", "4.2_2.13"),
        ("4.3.0-SNAPSHOT", "2.13", "4.3_2.13"),
    ],
)
def test_the_jar_is_for_the_spark_here(
    version: str,
    scala: str,
    expected: str,
    all_jars: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    jar = all_jars / f"muntin-spark-{expected}-{mt.version()}.jar"
    here = Path(home(all_jars / "home", version, scala))
    with monkeypatch.context() as spark_home:
        spark_home.setenv("SPARK_HOME", str(here))
        assert mt.jar() == str(jar)
    with monkeypatch.context() as installed:
        installed.delenv("SPARK_HOME", raising=False)
        installed.setattr(pyspark, "__path__", [str(here)])
        installed.setattr(pyspark, "__version__", version)
        assert mt.jar() == str(jar)
    with monkeypatch.context() as on_path:
        on_path.delenv("SPARK_HOME", raising=False)
        on_path.setitem(sys.modules, "pyspark", None)
        (here / "bin").mkdir()
        (here / "bin" / "spark-submit").touch(0o755)
        on_path.setenv("PATH", str(here / "bin"))
        assert mt.jar() == str(jar)
    assert mt.jar(version, scala) == str(jar)
    assert main(["jar", "--spark", version, "--scala", scala]) == 0
    assert capsys.readouterr().out == f"{jar}\n"


@pytest.mark.usefixtures("all_jars")
def test_a_spark_without_jars_has_the_scala_of_pypi(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setattr(pyspark, "__path__", [str(tmp_path)])
    monkeypatch.setattr(pyspark, "__version__", "4.1.2")
    assert "spark-4.1_2.13" in mt.jar()
    assert mt.jar("4.1") == mt.jar()


def test_the_jar_without_a_spark(
    all_jars: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    assert main(["jar"]) == 1
    assert "one of 3.5, 4.0, 4.1, 4.2, 4.3:" in capsys.readouterr().err
    for jar in sorted(all_jars.glob("*.jar"))[:-1]:
        jar.unlink()
    assert "spark-4.3_2.13" in mt.jar()


@pytest.mark.usefixtures("all_jars")
def test_the_jar_of_an_unsupported_spark(capsys: pytest.CaptureFixture[str]) -> None:
    for spark in ["3.4.4", "4.4", "banana"]:
        assert main(["jar", "--spark", spark]) == 1
        told = capsys.readouterr().err
        assert f"[MUNTIN_UNKNOWN_SPARK] muntin {mt.__version__} does not have" in told
        assert f"a jar for Spark {spark}, only for Spark 3.5, 4.0, 4.1, 4.2 and 4.3." in told
    artifact = f"io.muntin:muntin-spark-3.5_2.13:{mt.__version__}"
    jar = "Spark 3.5 with Scala 2.12"
    with raises(mt.MuntinError, "MUNTIN_JAR_IN_MAVEN_ONLY", jar=jar, artifact=artifact):
        mt.jar("3.5.1", "2.13.8")


def test_the_jar_of_an_invalid_spark(capsys: pytest.CaptureFixture[str]) -> None:
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="spark", argument="4.0"):
        mt.jar(4.0)  # type: ignore[arg-type]
    assert main(["jar", "--scala", "2.13"]) == 1
    assert "[MUNTIN_SCALA_WITHOUT_SPARK]" in capsys.readouterr().err


def test_the_error_of_a_missing_jar_lists_the_jars(all_jars: Path) -> None:
    for jar in all_jars.glob("muntin-spark-4.0_*"):
        jar.unlink()
    jars, command = "3.5, 4.1, 4.2, 4.3", "make jar SPARK=4.0"
    with raises(mt.MuntinError, "MUNTIN_MISSING_JAR", jars=jars, command=command):
        mt.jar("4.0.1")


def test_all_lists_of_sparks_agree() -> None:
    built = (ROOT / "project" / "SparkVersions.scala").read_text()
    versions = re.findall(r'SparkVersion\("(\d+\.\d+)\.\d+", "(\d+\.\d+)', built)
    assert set(versions) <= {(spark.minor, spark.scala) for spark in _sparks.SPARKS}
    (scala,) = re.findall(r'ofMavenAlone.*all\.last\.copy\(scala = "(\d+\.\d+)', built)
    assert [(spark.minor, spark.scala) for spark in _sparks.OF_MAVEN] == [("3.5", scala)]
    # pip reads this file, and cannot read Python.
    said = (ROOT / "pyproject.toml").read_text()
    assert f'spark = ["{_sparks.requirement()}"]' in said
    assert f'connect = ["{_sparks.requirement().replace("pyspark", "pyspark[connect]")}"]' in said
    assert f'client = ["{_sparks.requirement_of_client()}"]' in said


def test_the_targets_of_the_workflows_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    asked = {t for w in workflows for t in re.findall(r"run: make ([a-z-]+)", w.read_text())}
    assert {"test", "release-dry-run"} <= asked <= set(targets)


def test_type_checks_run_on_every_python_and_pyspark() -> None:
    # isinstance accepts A | B since Python 3.10; only _kinds checks for Connect's classes.
    asked = [
        (path.name, ast.unparse(call.args[1]))
        for path in (ROOT / "python/muntin").glob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "isinstance"
    ]
    sparks = ("Column", "DataFrame", "SparkSession")
    assert [(file, kinds) for file, kinds in asked if "|" in kinds] == []
    assert {file for file, kinds in asked if kinds in sparks} == {"_kinds.py"}


@pytest.mark.parametrize("kind", ["Column", "DataFrame", "SparkSession"])
def test_classes_of_connect_that_are_not_subclasses(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in Spark 3.5.
    checks: dict[str, tuple[Callable[[object], bool], str]] = {
        "Column": (_kinds.is_column, "column"),
        "DataFrame": (_kinds.is_frame, "dataframe"),
        "SparkSession": (_kinds.is_session, "session"),
    }
    check, name = checks[kind]
    module = ModuleType(f"pyspark.sql.connect.{name}")
    own = type(kind, (), {})
    setattr(module, kind, own)
    assert not check(own())
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert check(own())
    assert not check(kind)


def test_an_import_with_an_unsupported_spark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # A second copy of the loaded module.
    init = str(ROOT / "python" / "muntin" / "__init__.py")
    monkeypatch.setattr(pyspark, "__version__", "3.4.4")
    names = runpy.run_path(init)
    assert names["version"]() == mt.version()
    assert "configure" not in names
    with pytest.raises(ImportError, match=r"sliding needs pyspark 3\.5 or .* and this is 3\.4\.4"):
        names["__getattr__"]("sliding")
    monkeypatch.setenv("SPARK_HOME", home(tmp_path, "4.4.0", "2.13"))
    monkeypatch.setattr(pyspark, "__version__", "4.4.0")
    with pytest.warns(UserWarning, match=r"and this is Spark 4\.4\.0"):
        assert "configure" in runpy.run_path(init)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monkeypatch.setenv("SPARK_REMOTE", "sc://elsewhere")
        runpy.run_path(init)


@pytest.mark.usefixtures("no_jar")
def test_configure_without_a_jar() -> None:
    with raises(mt.MuntinError, "MUNTIN_MISSING_JAR"):
        mt.configure(SparkSession.builder)


@pytest.mark.usefixtures("other_spark")
def test_configure_rejects_an_unsupported_spark() -> None:
    with raises(mt.MuntinError, "MUNTIN_UNSUPPORTED_SPARK", spark="4.4.0"):
        mt.configure(SparkSession.builder)


def test_configure_returns_the_running_session(spark: SparkSession) -> None:
    assert mt.configure(type(spark).builder).getOrCreate() is spark


@pytest.mark.parametrize("wrong", [SparkSession, "builder", None])
def test_configure_requires_a_builder(wrong: object) -> None:
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="builder"):
        mt.configure(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["a.jar", [1]])
def test_configure_requires_a_list_of_jars(wrong: object) -> None:
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="jars"):
        mt.configure(SparkSession.builder, jars=wrong)  # type: ignore[arg-type]


def test_configure_allows_operators_in_real_time_mode() -> None:
    name = "spark.sql.streaming.realTimeMode.allowlistCheck"
    builder = SparkSession.Builder()
    assert mt.configure(builder) is builder
    assert name not in builder._options
    assert mt.configure(builder, real_time=True) is builder
    assert builder._options[name] == "false"
    with raises(TypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", parameter="real_time", argument="1"):
        mt.configure(builder, real_time=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("jar", "expected"),
    [
        (r"C:\jars\other.jar", "file:///C:/jars/other.jar"),
        ("C:/jars/other.jar", "file:///C:/jars/other.jar"),
        (r"d:\my jars\*.jar", "file:///d:/my%20jars/%2A.jar"),
        (r"\\server\share\other.jar", "file://server/share/other.jar"),
        ("file:///C:/jars/other.jar", "file:///C:/jars/other.jar"),
        ("hdfs://name/jars/other.jar", "hdfs://name/jars/other.jar"),
        ("/jars/a:b.jar", "/jars/a:b.jar"),
        ("jars/*.jar", "jars/*.jar"),
    ],
)
def test_windows_paths_become_addresses(jar: str, expected: str) -> None:
    assert _paths.address(jar) == expected


def test_the_jar_on_windows_has_a_windows_path(
    monkeypatch: pytest.MonkeyPatch, all_jars: Path
) -> None:
    folder = PureWindowsPath(r"C:\Users\Ann Lee\venv\Lib\site-packages\muntin\jars")
    found = [_jar.Jar(folder / path.name, "4.3", "2.13") for path in all_jars.glob("*4.3_*")]  # type: ignore[arg-type]
    monkeypatch.setattr(_jar, "every", lambda: found)
    assert mt.jar("4.3") == str(folder / f"muntin-spark-4.3_2.13-{mt.version()}.jar")
    assert _paths.address(mt.jar("4.3")).startswith("file:///C:/Users/Ann%20Lee/venv/Lib/")


@pytest.mark.parametrize("former", [None, "c.jar"])
def test_a_server_that_outlives_its_client_gets_the_jar_and_the_settings(
    former: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[str | None, str]] = []

    def begin(builder: SparkSession.Builder) -> None:
        begun.append((builder._options.get("spark.jars"), os.environ["SPARK_DIST_CLASSPATH"]))

    monkeypatch.delenv("SPARK_DIST_CLASSPATH", raising=False)
    if former is not None:
        monkeypatch.setenv("SPARK_DIST_CLASSPATH", former)
    monkeypatch.setattr(_calls, "is_active", lambda _: True)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", begin)
    monkeypatch.setenv("SPARK_LOCAL_CONNECT_REUSE", "true")
    path = os.pathsep.join([former, mt.jar()] if former else [mt.jar()])
    mt.configure(SparkSession.Builder().remote("local[2]")).getOrCreate()
    assert begun.pop() == (None, path)
    builder = SparkSession.Builder().remote("local[2]").config("spark.jars", "a.jar")
    mt.configure(builder, jars=["b.jar"]).getOrCreate()
    assert begun.pop() == ("a.jar,b.jar", path)
    assert os.environ.get("SPARK_DIST_CLASSPATH") == former


def test_command_jar(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jar"]) == 0
    assert capsys.readouterr().out == f"{mt.jar()}\n"


@pytest.mark.usefixtures("no_jar")
def test_command_jar_without_jar(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jar"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "make jar" in told.err


def test_command_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    assert capsys.readouterr().out == f"{mt.__version__}\n"
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"{mt.__version__}\n"


def test_command_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["heal"])
    assert "doctor" in capsys.readouterr().err


@pytest.mark.usefixtures("no_jar")
def test_doctor_without_jar(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "!!  jar" in told
    assert "make jar" in told


@pytest.mark.usefixtures("other_spark")
def test_doctor_with_another_spark(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "ok  spark     4.4.0 (SPARK_HOME: " in told
    assert "!!  jar       none for Spark 4.4.0 of Scala 2.13" in told
    assert "pip install 'pyspark>=3.5,<4.4'" in told


def test_doctor_with_an_old_pyspark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pyspark.__version__", "3.4.4")
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "!!  pyspark   3.4.4 in " in told
    assert "muntin needs pyspark 3.5 or later, and this is 3.4.4" in told


@pytest.mark.usefixtures("all_jars")
def test_doctor_with_a_spark_and_no_pyspark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_spark_here, "pyspark_version", lambda: None)
    monkeypatch.setenv("SPARK_HOME", home(tmp_path / "home", "4.0.2", "2.13"))
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "missing, and there is Spark 4.0.2 (SPARK_HOME: " in told
    assert "pip install 'pyspark==4.0.2'" in told


@pytest.mark.usefixtures("all_jars")
def test_the_doctor_checks_the_java_of_each_spark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.22\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("muntin._doctor._examine_session", lambda: _doctor.Finding("s", "s"))
    for version, scala, mark in [("3.5.1", "2.12", "ok"), ("4.1.0", "2.13", "!!")]:
        monkeypatch.setenv("SPARK_HOME", home(tmp_path / version, version, scala))
        main(["doctor"])
        assert f"{mark}  java      11.0.22, " in capsys.readouterr().out


@pytest.mark.usefixtures("all_jars")
def test_a_java_that_is_too_new_for_the_spark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"25.0.3\" 2026-04-21' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("muntin._doctor._examine_session", lambda: _doctor.Finding("s", "s"))
    for version, mark in [("4.0.5", "!!"), ("4.1.0", "ok"), ("4.3.0", "ok")]:
        monkeypatch.setenv("SPARK_HOME", home(tmp_path / version, version, "2.13"))
        main(["doctor"])
        told = capsys.readouterr().out
        assert f"{mark}  java      25.0.3, " in told
        assert ("Spark 4.0 runs on Java 17 to 23. Install one" in told) == (mark == "!!")


@pytest.mark.parametrize(
    ("says", "finding"),
    [
        ('openjdk version "9.0.4"', "9.0.4"),
        ('java version "1.8.0_392"', "1.8.0_392"),
        ("a program of the same name", "does not report its version"),
    ],
)
def test_doctor_with_an_old_java(
    says: str,
    finding: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert finding in told
    assert "openjdk-17" in told


def test_doctor_without_a_session(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[str] = []

    def session() -> _doctor.Finding:
        tried.append("session")
        return _doctor.Finding("s", "s")

    monkeypatch.setattr(_doctor, "_examine_session", session)
    assert main(["doctor", "--no-session"]) == 0
    assert "session" not in capsys.readouterr().out
    assert not tried
    assert main(["doctor"]) == 0
    assert "..  session   starting one, which takes some seconds\nok  s" in capsys.readouterr().out
    assert tried


def test_doctor_hides_the_log_of_spark(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def session(remedy: str | None) -> _doctor.Finding:
        os.write(2, b"WARN of log4j\n")
        return _doctor.Finding("session", "s", remedy)

    monkeypatch.setattr(_doctor, "_examine_logged_session", lambda: session(None))
    assert _doctor._examine_session() == _doctor.Finding("session", "s")
    monkeypatch.setattr(_doctor, "_examine_logged_session", lambda: session("Do."))
    remedy = "Do.\nSpark's log ends with:\nWARN of log4j"
    assert _doctor._examine_session() == _doctor.Finding("session", "s", remedy)
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"


def test_a_program_without_java_names_the_doctor(tmp_path: Path) -> None:
    program = (
        "import muntin as mt\nfrom pyspark.sql import SparkSession\n"
        "mt.configure(SparkSession.builder).getOrCreate()"
    )
    variables = {"PYTHONPATH": str(ROOT / "python"), "JAVA_HOME": str(tmp_path)}
    # Classic, also if this process has sessions of Spark Connect.
    classic = {name: value for name, value in os.environ.items() if "SPARK_CONNECT" not in name}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=classic | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "JAVA_GATEWAY_EXITED" in done.stderr
    assert done.stderr.strip().endswith("To find out what is missing, run: python -m muntin doctor")


def test_doctor_without_java(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["doctor"]) == 1
    assert "!!  java      missing" in capsys.readouterr().out


OFF = """
import warnings

import muntin as mt
from muntin import _doctor
from pyspark.sql import SparkSession, functions as F

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder.config("spark.muntin.enabled", "false").config("spark.muntin.over.enable", "true")
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    spark = mt.configure(builder).getOrCreate()
    mt.register(spark)
said = [str(w.message) for w in warned if "untin" in str(w.message)]
off = "[MUNTIN_TURNED_OFF] Muntin is turned off by the setting `spark.muntin.enabled=false`."
wrong = "[MUNTIN_UNKNOWN_SETTING] Unknown setting `spark.muntin.over.enable` has no effect."
assert [s.startswith((wrong, off)) for s in said] == [True] * 3, said
assert {w.filename for w in warned if str(w.message) in said} == {__file__}, warned
assert said[0] == f"{wrong} Did you mean `spark.muntin.over.enabled`?", said
assert not mt.is_active(spark)
try:
    mt.sliding(F.sum("id"), 2)
except mt.MuntinError as error:
    assert str(error).startswith(off), error
else:
    raise AssertionError("sliding without Muntin")
window = "SELECT sum(id) OVER (ORDER BY id) AS s FROM range(3)"
assert "MuntinWindow" not in spark.sql("EXPLAIN " + window).first()[0]
assert [row.s for row in spark.sql(window).collect()] == [0, 1, 3]
finding = _doctor._examine_session()
assert finding.text.endswith("Muntin is turned off") and finding.remedy.startswith(off), finding
print("all of it holds")
"""


@pytest.mark.once  # it starts a classic session
def test_the_switch_turns_muntin_off_in_python(tmp_path: Path) -> None:
    program = tmp_path / "off.py"
    program.write_text(OFF)
    variables = {"PYTHONPATH": str(ROOT / "python"), "SPARK_CONF_DIR": str(tmp_path)}
    command = [sys.executable, str(program)]
    done = subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("all of it holds\n"), done.stdout + done.stderr


def test_doctor_with_the_switch_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MUNTIN_ENABLED", "false")
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "!!  switch    Muntin is turned off" in told
    assert "`MUNTIN_ENABLED=false`. To turn Muntin on, set it to `true` or remove it" in told
    assert "session" not in told


def test_unknown_settings_name_the_nearest() -> None:
    names = ["spark.muntin.strem.order", "spark.sql.other", "spark.muntin.stream.order"]
    assert _settings.unknown(names) == [
        "[MUNTIN_UNKNOWN_SETTING] Unknown setting `spark.muntin.strem.order` has no effect. "
        "Did you mean `spark.muntin.stream.order`?"
    ]
