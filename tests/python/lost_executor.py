"""Frames that spill, on a cluster of two executors. A test kills one of them.

`python lost_executor.py JAR OUT` prints "running" at its start, and writes the rows to OUT.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

ROWS = 1_000_000
KEYS = 4
FRAME = "PARTITION BY id % 4 ORDER BY id ROWS BETWEEN 250000 PRECEDING AND CURRENT ROW"
QUERY = f"""
    SELECT id, sum(x) OVER w AS total, max(x) OVER w AS most, min(s) OVER w AS least
    FROM (SELECT id, id * 7919 % 100003 AS x, string(id * 31 % 99991) AS s FROM range({ROWS}))
    WINDOW w AS ({FRAME})
"""


def main(jar: str, out: str) -> None:
    """Run the query once."""
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.jars", jar)
        .config("spark.executor.memory", "1g")
        # The memory for the rows of tasks is so small that frames spill.
        .config("spark.memory.fraction", "0.035")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.adaptive.enabled", "false")
        .getOrCreate()
    )
    result = spark.sql(QUERY)
    plan = result._jdf.queryExecution().toString()
    assert "MuntinWindow" in plan
    # The shuffle files of the killed executor are lost, and written again.
    assert "MuntinExchange" in plan
    print("running", flush=True)
    result.write.parquet(out)
    print("done", flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
