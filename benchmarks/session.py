"""The Spark session that every Spark contender shares."""

from __future__ import annotations

import time
from typing import Any

import muntin as mt
from pyspark.sql import DataFrame, SparkSession

from benchmarks import kernels
from benchmarks.data import BUILD

CORES = 2
PARTITIONS = 8
ADAPTIVE = "spark.sql.adaptive.enabled"


def session(heap: str = "6g", **more: str) -> SparkSession:
    """Return a session on two cores, with a fixed number of partitions for all contenders."""
    settings = {
        "spark.driver.memory": heap,
        "spark.sql.shuffle.partitions": str(PARTITIONS),
        ADAPTIVE: "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(BUILD / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        **more,
    }
    builder = SparkSession.builder.appName("Muntin's benchmarks").master(f"local[{CORES}]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = mt.configure(builder, jars=[kernels.jar()]).getOrCreate()
    # Spark cannot register a Scala aggregator from Python.
    jvm: Any = spark._jvm
    jvm.io.muntin.benchmarks.Spread.register(spark._jsparkSession)
    return spark


def seconds_of(frame: DataFrame) -> float:
    """Return the seconds for computing all rows, which are discarded."""
    began = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - began
