from __future__ import annotations

from pathlib import Path

import muntin as mt
import pytest
from muntin import _calls, _jar, _session
from muntin.__main__ import main
from pyspark.sql import SparkSession


@pytest.fixture
def no_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(_jar, "_FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def other_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_session, "pyspark_version", "4.2.1")


def test_session_is_active(spark: SparkSession) -> None:
    assert mt.is_active(spark)
    assert mt.is_active(spark.newSession())


@pytest.mark.parametrize("wrong", [SparkSession, "spark", None])
def test_active_is_asked_of_a_session(wrong: object) -> None:
    with pytest.raises(TypeError, match="takes a SparkSession, not"):
        mt.is_active(wrong)  # type: ignore[arg-type]


def test_muntin_is_active_also_where_it_is_turned_off(spark: SparkSession) -> None:
    spark.conf.set("spark.muntin.over.enabled", "false")
    try:
        _calls._known.pop(spark)
        assert mt.is_active(spark)
    finally:
        spark.conf.unset("spark.muntin.over.enabled")


def test_the_setting_is_known_to_spark(spark: SparkSession) -> None:
    assert spark.conf.get("spark.muntin.over.enabled") == "true"


def test_register_returns_a_session_that_has_muntin(spark: SparkSession) -> None:
    assert mt.register(spark) is spark


def test_register_takes_a_session() -> None:
    with pytest.raises(TypeError, match="takes a SparkSession, not 'spark'"):
        mt.register("spark")  # type: ignore[arg-type]


def test_jar_is_the_one_of_this_version() -> None:
    path = Path(mt.jar())
    assert path.is_file()
    assert path.name == f"muntin-spark-4.3_2.13-{mt.version()}.jar"


@pytest.mark.parametrize(
    "name", ["muntin-spark-4.3_2.13-0.0.1.jar", "other.jar", "muntin-spark-4.3_2.13.jar"]
)
def test_a_jar_of_another_version_does_not_count(no_jar: Path, name: str) -> None:
    (no_jar / name).touch()
    with pytest.raises(mt.MuntinError, match="make jar"):
        mt.jar()


@pytest.mark.usefixtures("no_jar")
def test_configure_without_jar_says_how_to_get_it() -> None:
    with pytest.raises(mt.MuntinError, match="make jar"):
        mt.configure(SparkSession.builder)


@pytest.mark.usefixtures("other_spark")
def test_configure_refuses_another_minor_of_spark() -> None:
    with pytest.raises(mt.MuntinError, match=r"for Spark 4\.3, and this is Spark 4\.2\.1"):
        mt.configure(SparkSession.builder)


def test_configure_gives_the_session_that_runs(spark: SparkSession) -> None:
    assert mt.configure(type(spark).builder).getOrCreate() is spark


@pytest.mark.parametrize("wrong", [SparkSession, "builder", None])
def test_configure_takes_a_builder(wrong: object) -> None:
    with pytest.raises(TypeError, match="takes a builder"):
        mt.configure(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["a.jar", [1]])
def test_configure_takes_a_list_of_jars(wrong: object) -> None:
    with pytest.raises(TypeError, match="configure: jars is"):
        mt.configure(SparkSession.builder, jars=wrong)  # type: ignore[arg-type]


def test_a_local_server_that_outlives_its_client_gets_the_jars_as_a_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(_calls, "is_active", lambda _: True)
    monkeypatch.setattr(
        SparkSession.Builder, "getOrCreate", lambda b: begun.append(b._options["spark.jars"])
    )
    builder = SparkSession.Builder().remote("local[2]").config("spark.jars", "a.jar")
    builder.config("spark.local.connect.reuse", "true")
    mt.configure(builder, jars=["b.jar"]).getOrCreate()
    assert begun == [f"a.jar,b.jar,{mt.jar()}"]


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


def test_doctor_with_another_spark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pyspark.__version__", "4.2.1")
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "does not fit" in told
    assert "pip install 'pyspark~=4.3.0'" in told


@pytest.mark.parametrize(
    ("says", "finding"),
    [
        ('openjdk version "11.0.22" 2024-01-16', "11.0.22"),
        ('java version "1.8.0_392"', "1.8.0_392"),
        ("a program of the same name", "does not tell its version"),
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


def test_doctor_without_java(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["doctor"]) == 1
    assert "!!  java      missing" in capsys.readouterr().out
