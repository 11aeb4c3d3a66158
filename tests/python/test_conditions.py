"""Errors of the Python package have conditions, SQLSTATEs and parameters, like Spark's errors."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import muntin as mt
import pytest
from conditions import raises
from muntin import _errors
from pyspark.errors import (
    AnalysisException,
    PySparkException,
    PySparkTypeError,
    PySparkValueError,
)
from pyspark.sql import SparkSession

PACKAGE = Path(_errors.__file__).parent
CONDITIONS = json.loads((PACKAGE / "error-conditions.json").read_text(encoding="utf-8"))


def test_errors_extend_the_errors_of_pyspark() -> None:
    with raises(PySparkTypeError, "MUNTIN_INVALID_ARGUMENT_TYPE", function="over", type="int"):
        mt.over(order_by="at", rows=3)  # type: ignore[arg-type]
    with raises(PySparkValueError, "MUNTIN_FRAME_WITHOUT_ORDER"):
        mt.over(rows=(-3, 0))


def test_an_error_has_the_methods_of_spark_errors() -> None:
    error = _errors.MuntinValueError("MUNTIN_FRAME_WITHOUT_ORDER", frame="rows")
    for copied in (error, pickle.loads(pickle.dumps(error))):
        assert isinstance(copied, PySparkException)
        assert copied.getCondition() == "MUNTIN_FRAME_WITHOUT_ORDER"
        assert copied.getSqlState() == "42P20"
        assert copied.getMessageParameters() == {"frame": "rows"}
        assert str(copied).startswith("[MUNTIN_FRAME_WITHOUT_ORDER] The frame `rows` of `over`")


def test_every_condition_in_the_package_is_in_the_file() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.glob("*.py"))
    named = set(re.findall(r'"(MUNTIN_[A-Z_]+)"', sources)) - {"MUNTIN_ENABLED"}
    assert len(named) > 30
    assert named <= CONDITIONS.keys()


def test_errors_of_the_jvm_have_conditions_in_python(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as raised:
        spark.sql("SELECT sliding(avg(id), 0) OVER (ORDER BY id) FROM range(3)").collect()
    error = raised.value
    assert error.getCondition() == "MUNTIN_INVALID_ARGUMENT_VALUE"
    assert error.getSqlState() == "22023"
    parameters = error.getMessageParameters()
    assert parameters is not None
    assert (parameters["function"], parameters["argument"]) == ("sliding", "0")
    assert "MUNTIN_INVALID_ARGUMENT_VALUE" in str(error)
