"""The wheel as users have it: installed in a separate environment, and used by plain programs."""

from __future__ import annotations

import io
import runpy
import shutil
import subprocess
import zipfile
from pathlib import Path

import muntin as mt
import pytest
from installed import BUILD, BUILT, LOCAL, ROOT, SPARK_HOME, Installed
from muntin import _sparks

pytestmark = [pytest.mark.packaging, pytest.mark.sampled(3)]

HOOK = runpy.run_path(str(ROOT / "hatch_build.py"))
WITHOUT = HOOK["without_signature"]


def test_the_wheel_contains_the_jar_of_each_spark(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    jars = [name for name in names if name.endswith(".jar")]
    assert sorted(jars) == sorted(
        f"muntin/jars/muntin-spark-{spark.minor}_{spark.scala}-{mt.version()}.jar"
        for spark in _sparks.SPARKS
        if spark.minor in BUILT
    )
    modules = {"muntin/functions.py", "muntin/typing.py", "muntin/py.typed"}
    assert modules <= set(names)
    # 20 MiB with all five jars; a larger wheel would require several packages.
    assert wheel.stat().st_size < 4 * 2**20 * len(BUILT)


def test_a_program_compiles_against_the_public_api(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        name = next(n for n in packed.namelist() if n.endswith(".jar"))
        jar = zipfile.ZipFile(io.BytesIO(packed.read(name)))

    def has_signature(name: str) -> bool:
        data = jar.read(name)
        return bool(WITHOUT(data) != data)

    assert has_signature("io/muntin/functions.class")
    assert has_signature("io/muntin/Muntin.class")
    others = [n for n in jar.namelist() if n.endswith(".class") and not n.startswith("io/muntin/")]
    assert len(others) > 1000
    assert not any(has_signature(n) for n in others)


# Classes that only Spark's package may extend are in Spark's package.
OWN = ("io/muntin", "org/apache/spark/sql/muntin", "org/apache/spark/sql/execution/python")


def test_the_jar_contains_only_muntin(wheel: Path) -> None:
    jar = f"muntin/jars/{Path(mt.jar()).name}"
    with zipfile.ZipFile(wheel) as outer, outer.open(jar) as inner:
        packed = zipfile.ZipFile(inner)
        names = packed.namelist()
        with zipfile.ZipFile(mt.jar()) as built:
            assert sorted(names) == sorted(built.namelist())
            for name in names:
                data = built.read(name)
                is_stripped = name.endswith(".class") and not HOOK["_is_api"](name)
                assert packed.read(name) == (WITHOUT(data) if is_stripped else data), name
    assert names[0] == "META-INF/MANIFEST.MF"
    assert "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider" in names
    # It contains a bundled library with a renamed package, and the files that its license requires.
    assert "io/muntin/shaded/cronutils/parser/CronParser.class" in names
    assert {"META-INF/LICENSE", "META-INF/NOTICE"} <= set(names)
    classes = {str(Path(name).parent) for name in names if name.endswith(".class")}
    assert all(c.startswith(OWN) for c in classes)


def test_a_wheel_is_not_built_without_its_jars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark = next(spark for spark in _sparks.SPARKS if spark.minor in BUILT)
    for name in ["pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE"]:
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(
        ROOT / "python", tmp_path / "python", ignore=shutil.ignore_patterns("jars", "__pycache__")
    )
    jar = f"muntin-spark-{spark.minor}_{spark.scala}-{mt.version()}.jar"
    (tmp_path / "python/muntin/jars").mkdir()
    shutil.copy(ROOT / "python/muntin/jars" / jar, tmp_path / "python/muntin/jars")
    for wanted, said in [
        ("", "Run: make jars"),
        ("", "`make wheel` writes"),
        ("9.9", "muntin is for none of ['9.9']"),
    ]:
        monkeypatch.setenv("MUNTIN_WHEEL_SPARKS", wanted)
        failed = subprocess.run(
            [*BUILD, "--wheel", tmp_path], capture_output=True, text=True, check=False
        )
        assert failed.returncode != 0
        assert said in failed.stdout + failed.stderr
        assert jar not in failed.stdout + failed.stderr


def test_this_is_the_installed_package(installed: Installed) -> None:
    told = installed.run([installed.python, "-m", "muntin", "jar"]).stdout
    assert told == f"{installed.jar}\n"


def test_a_new_session(installed: Installed) -> None:
    installed.script(f"""
        import muntin as mt
        spark = mt.configure(SparkSession.builder{LOCAL}).getOrCreate()
        assert_works(spark)
        assert_works(spark.newSession())
        assert mt.register(spark) is spark
    """)


def test_new_executors(installed: Installed) -> None:
    installed.script("""
        import muntin as mt
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        spark = mt.configure(builder.config("spark.ui.enabled", "false")).getOrCreate()
        assert_works(spark)
    """)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,1,1024]"])
def test_a_running_session(installed: Installed, master: str) -> None:
    installed.script(f"""
        import muntin as mt
        spark = (SparkSession.builder.master("{master}").config("spark.ui.enabled", "false")
                 .getOrCreate())
        spark.conf.set("spark.sql.shuffle.partitions", "7")
        spark.range(3).createOrReplaceTempView("three")
        assert not has_muntin(spark)

        registered = mt.register(spark)
        assert_works(registered)
        assert registered.conf.get("spark.sql.shuffle.partitions") == "7"
        assert registered.table("three").count() == 3
        assert mt.register(registered) is registered
        assert_works(mt.register(spark))
        assert spark.range(3).count() == 3
        assert_works(registered.newSession())

        registered.stop()
        again = SparkSession.builder.master("{master}").getOrCreate()
        assert_works(mt.register(again))
    """)


def test_a_second_session_of_a_process(installed: Installed) -> None:
    installed.script(f"""
        import muntin as mt
        SparkSession.builder{LOCAL}.getOrCreate().stop()
        spark = mt.configure(SparkSession.builder{LOCAL}).getOrCreate()
        assert_works(mt.register(spark))
    """)


def test_the_jar_alone(installed: Installed) -> None:
    submit = SPARK_HOME / "bin" / "spark-submit"
    installed.script(
        """
        spark = SparkSession.builder.getOrCreate()
        assert_works(spark)
        """,
        launcher=[submit, "--master", "local[2]", "--jars", installed.jar],
    )


def test_the_jar_and_the_setting(installed: Installed) -> None:
    name = "org.apache.spark.sql.muntin.MuntinExtensions"
    installed.script(f"""
        import muntin as mt
        builder = SparkSession.builder{LOCAL}.config("spark.sql.extensions", "{name}")
        assert_works(mt.configure(builder).getOrCreate())
    """)


def test_a_local_connect_session(installed: Installed) -> None:
    done = installed.script("""
        import muntin as mt
        spark = mt.configure(SparkSession.builder.remote("local[2]")).getOrCreate()
        assert "connect" in type(spark).__module__
        assert_works(spark)
        assert mt.register(spark) is spark
    """)
    assert "Failed to set spark.jars" not in done.stderr


def test_connect_mode(installed: Installed) -> None:
    installed.script("""
        import muntin as mt
        builder = SparkSession.builder.config("spark.api.mode", "connect").master("local[2]")
        spark = mt.configure(builder).getOrCreate()
        assert "connect" in type(spark).__module__
        assert_works(spark)
    """)


def test_a_connect_client_cannot_register(installed: Installed) -> None:
    installed.script("""
        import muntin as mt
        spark = SparkSession.builder.remote("local[2]").getOrCreate()
        assert not has_muntin(spark)
        try:
            mt.register(spark)
        except mt.MuntinError as error:
            assert "start-connect-server.sh --jars " + mt.jar() in str(error), error
        else:
            raise AssertionError("register() took a Connect client")
    """)


def test_a_connect_server(installed: Installed, server: int) -> None:
    installed.script(f"""
        spark = SparkSession.builder.remote("sc://localhost:{server}").getOrCreate()
        assert_works(spark)
    """)


def test_a_package_without_jar(installed: Installed, tmp_path: Path) -> None:
    shutil.copytree(installed.folder, tmp_path / "muntin", ignore=shutil.ignore_patterns("jars"))
    installed.script(
        f"""
        import muntin as mt
        spark = SparkSession.builder{LOCAL}.getOrCreate()
        try:
            mt.register(spark)
        except mt.MuntinError as error:
            assert "make jar" in str(error), error
        else:
            raise AssertionError("register() found a jar")
        """,
        variables={"PYTHONPATH": str(tmp_path)},
    )


def test_a_jar_of_another_version(installed: Installed, tmp_path: Path) -> None:
    shutil.copytree(installed.folder, tmp_path / "muntin")
    (tmp_path / "muntin" / "_version.py").write_text('__version__ = "9.9.9"\n')
    installed.script(
        f"""
        import muntin as mt
        spark = SparkSession.builder{LOCAL}.config("spark.jars", "{installed.jar}").getOrCreate()
        try:
            mt.register(spark)
        except mt.MuntinError as error:
            assert "muntin {mt.version()}" in str(error) and "9.9.9" in str(error), error
        else:
            raise AssertionError("register() took a jar of another version")
        """,
        variables={"PYTHONPATH": str(tmp_path)},
    )


def test_doctor(installed: Installed) -> None:
    told = installed.run([installed.python, "-m", "muntin", "doctor"]).stdout
    assert "Muntin is active in a new session" in told
    assert "!!" not in told


def test_doctor_with_muntin_turned_off(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.muntin.over.enabled false\n")
    told = installed.run(
        [installed.python, "-m", "muntin", "doctor"],
        fails=True,
        variables={"SPARK_CONF_DIR": str(tmp_path)},
    ).stdout
    assert "!!  session" in told
    assert "spark.muntin.over.enabled" in told
