"""The patches of pyspark, and their fallbacks if pyspark does not have the names."""

from __future__ import annotations

import ast
import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import muntin as mt
import pytest
from installed import OPERATOR, ROOT
from muntin import _bootstrap, _calls
from older import is_before
from ports import free_port
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

pytestmark = pytest.mark.packaging

PACKAGE = ROOT / "python/muntin"


def private_names(path: Path) -> Iterator[str]:
    """Return the private names of pyspark in a module, and its other means of patching."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner not in ("self", "cls") and is_private(node.attr):
                yield f"{path.name}:{node.lineno}: {node.attr}"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pyspark"):
            parts = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            yield from (f"{path.name}:{node.lineno}: {part}" for part in parts if is_private(part))
        elif isinstance(node, ast.Import):
            yield from (f"{path.name}:{node.lineno}: gc" for a in node.names if a.name == "gc")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr":
            yield f"{path.name}:{node.lineno}: setattr"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_private_names_of_pyspark_are_in_one_module() -> None:
    found = {path.name: list(private_names(path)) for path in PACKAGE.glob("*.py")}
    assert len(found.pop("_bootstrap.py")) >= 5
    assert [name for names in found.values() for name in names] == []


# Loads pyspark with some private names replaced by others.
RENAMED = """
import gc
import re
import sys
from importlib.machinery import PathFinder, SourceFileLoader

NAMES = re.compile(rb"\\b(_ensure_initialized|_options|_instantiatedSession)\\b")

class Loader(SourceFileLoader):
    def get_code(self, fullname):
        source = NAMES.sub(rb"\\1_renamed", self.get_data(self.path))
        return self.source_to_code(source, self.path)

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        spec = super().find_spec(fullname, path, target)
        loader = spec and spec.loader
        if fullname.split(".")[0] == "pyspark" and isinstance(loader, SourceFileLoader):
            spec.loader = Loader(fullname, spec.loader.path)
        return spec

sys.meta_path.insert(0, Finder)
del gc.get_objects
"""

PROGRAM = """
import muntin as mt
from pyspark import SparkContext
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

builder = SparkSession.builder.START.config("spark.ui.enabled", "false")
if builder._options_renamed.get("spark.remote"):
    from pyspark.sql.connect.client import DefaultChannelBuilder

    DefaultChannelBuilder.default_port = staticmethod(lambda: PORT)
    builder.config("spark.connect.grpc.binding.port", "PORT")
for owner, name in [(SparkContext, "_ensure_initialized"), (builder, "_options")]:
    assert hasattr(owner, name + "_renamed") and not hasattr(owner, name)

try:
    mt.configure(builder, jars=["a.jar"])
except mt.MuntinError as error:
    assert "Set `spark.jars` of the builder" in str(error), error
else:
    raise AssertionError("jars were accepted")

spark = mt.configure(builder).getOrCreate()
assert mt.is_active(spark)
assert mt.register(spark) is spark
two = mt.sliding(F.sum("id"), 2).over(Window.orderBy("id"))
assert [row[0] for row in spark.range(3).select(two).collect()] == [None, 1, 3]
plan = spark.sql("EXPLAIN SELECT sum(id) OVER (ORDER BY id) FROM range(3)").first()[0]
assert "OPERATOR" in plan, plan
print("all of it holds")
"""


@pytest.mark.parametrize(
    "start",
    ['master("local[1]")', pytest.param('remote("local[1]")', marks=pytest.mark.sampled(3))],
)
def test_a_session_with_a_pyspark_without_the_private_names(start: str, tmp_path: Path) -> None:
    if "remote" in start and is_before("4.0"):
        pytest.skip("pyspark 3.5 has no server of Spark Connect")
    program = tmp_path / "renamed.py"
    values = {"START": start, "OPERATOR": OPERATOR, "PORT": str(free_port())}
    text = re.sub("START|OPERATOR|PORT", lambda name: values[name[0]], PROGRAM)
    program.write_text(RENAMED + text)
    done = subprocess.run(
        [sys.executable, program],
        env=os.environ | {"PYTHONPATH": str(ROOT / "python"), "SPARK_CONF_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.endswith("all of it holds\n"), done.stdout + done.stderr


class FixedBuilder:
    """A builder whose methods cannot be replaced."""

    __slots__ = ("_options",)

    def __init__(self) -> None:
        self._options: dict[str, str] = {}

    def getOrCreate(self) -> None:  # noqa: N802
        raise AssertionError


def test_a_builder_with_fixed_methods() -> None:
    with pytest.raises(mt.MuntinError, match="MUNTIN_FIXED_BUILDER"):
        mt.configure(FixedBuilder())  # type: ignore[arg-type]
    assert not _bootstrap.replace_method(FixedBuilder(), "getOrCreate", print)


def test_a_python_that_cannot_list_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    # No session has Muntin, so Spark rejects the function, with its own error.
    monkeypatch.setattr(_calls, "_seen", False)
    monkeypatch.setattr(_calls, "is_active", lambda _: False)
    monkeypatch.setattr(_calls, "turned_off", lambda _: None)
    monkeypatch.setattr(_calls, "is_client", lambda _: False)
    monkeypatch.setattr(SparkSession, "active", lambda: None)
    with pytest.raises(mt.MuntinError, match="MUNTIN_NOT_ACTIVE"):
        _calls.require("sliding")
    monkeypatch.delattr(gc, "get_objects")
    _calls.require("sliding")


def test_a_pyspark_without_a_jvm() -> None:
    with pytest.raises(mt.MuntinError, match=r"`Session\._jvm` does not exist"):
        _bootstrap.jvm_of(type("Session", (), {})())


class JavaSession:
    def equals(self, other: object) -> bool:
        return self is other


# The attribute of a session that caches its catalog.
CATALOG = "_catalog" if is_before("4.0") else "catalog"


class Session:
    """A session like a session of pyspark, with a cached catalog."""

    def __init__(self, java: JavaSession) -> None:
        self._jsparkSession = java
        self.__dict__[CATALOG] = "of the former session"


@pytest.mark.parametrize("is_kept", [True, False])
def test_the_java_session_is_replaced(is_kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    former, latter = JavaSession(), JavaSession()
    kept, spark = Session(former), Session(former)
    for name in ("_instantiatedSession", "_activeSession"):
        if is_kept:
            monkeypatch.setattr(SparkSession, name, kept)
        else:
            monkeypatch.delattr(SparkSession, name)
    _bootstrap.replace_java_session(spark, latter)  # type: ignore[arg-type]
    assert spark._jsparkSession is latter
    assert (kept._jsparkSession is latter) == is_kept
    assert CATALOG not in spark.__dict__


def test_a_sentence_is_appended_to_every_kind_of_error() -> None:
    error: Any = RuntimeError("JAVA_GATEWAY_EXITED")
    _bootstrap.append_to_message(error, "Do.")
    assert error.__notes__ == ["Do."]
    error._message = "It ended."
    _bootstrap.append_to_message(error, "Do.")
    assert error._message == "It ended. Do."


def test_the_message_of_an_error_of_the_jvm(spark: SparkSession) -> None:
    if is_before("4.0"):
        pytest.skip("errors have getMessage since Spark 4.0")
    with pytest.raises(AnalysisException, match="MUNTIN_NOT_AN_AGGREGATE") as raised:
        spark.sql("SELECT sliding(id, 3) OVER (ORDER BY id) FROM range(3)")
    message = raised.value.getMessage()
    assert message.startswith("[MUNTIN_NOT_AN_AGGREGATE]")
    assert "`id`" in message
