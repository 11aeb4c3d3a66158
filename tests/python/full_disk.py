"""Frames that spill while files cannot grow beyond a few megabytes.

`python full_disk.py JAR DIRECTORY`: for values, and for distinct values, prints the error, the
remaining files in DIRECTORY, and a row of the same windows over fewer rows.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

MEBIBYTE = 1 << 20
ROWS = 3_000_000
FEWER = 1_000
FUNCTIONS = (
    "sum(x) OVER w AS x, sum(y) OVER w AS y",
    # Without the mode of a double, which Spark computes before 4.2, frame by frame.
    "count(DISTINCT x) OVER w AS x, mode(CAST(y * 1e15 AS BIGINT)) OVER w AS y",
)


def windows(spark: SparkSession, functions: str, rows: int) -> DataFrame:
    """Functions over nearly all preceding rows."""
    return spark.sql(
        f"SELECT id, {functions}, count(*) OVER w AS n "
        f"FROM (SELECT id, rand(1) AS x, rand(2) AS y FROM range(0, {rows}, 1, 1)) "
        f"WINDOW w AS (ORDER BY id ROWS {rows - 10} PRECEDING)"
    )


def main(jar: str, directory: str) -> None:
    """Run the query that fails, and a query that succeeds."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (12 * MEBIBYTE, 12 * MEBIBYTE))
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", jar)
        .config("spark.driver.memory", "1g")
        # The memory for the rows of tasks is so small that frames spill.
        .config("spark.memory.fraction", "0.05")
        .config("spark.local.dir", directory)
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    for functions in FUNCTIONS:
        try:
            windows(spark, functions, ROWS).write.format("noop").mode("overwrite").save()
        except Exception as error:
            print(str(error).replace("\n", " "), flush=True)
        left = [file.name for file in Path(directory).rglob("*") if "temp_local" in file.name]
        print(left, flush=True)
        print(windows(spark, functions, FEWER).orderBy("id").tail(1)[0]["n"], flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
