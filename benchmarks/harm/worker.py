"""`python -m benchmarks.harm.worker FOLDER [JAR]`: a session that reads requests from stdin.

Each line is a JSON object with one of: make (runs a statement), plan (plans a query), shown
(returns the plans of a query), run (runs a query), drop (runs a query and discards its rows). Each
response is a line of JSON.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def begin(folder: Path, jar: str | None) -> SparkSession:
    """Start a session, with or without the jar."""
    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(folder))
        .config("spark.sql.ansi.doubleQuotedIdentifiers", "true")
    )
    if jar is not None:
        builder = builder.config("spark.jars", jar)
        # PySpark 3.5 does not search jars for extensions.
        extensions = "org.apache.spark.sql.muntin.MuntinExtensions"
        builder = builder.config("spark.sql.extensions", extensions)
    return builder.getOrCreate()


def planned(spark: SparkSession, query: str) -> Any:
    """Analyze, optimize and plan the query without running it."""
    execution = spark.sql(query)._jdf.queryExecution()
    execution.executedPlan()
    return execution


def shown(spark: SparkSession, query: str, folder: Path) -> str:
    """Show the plans of the query, with numbers that count from 1."""
    execution = planned(spark, query)
    plans = f"{execution.optimizedPlan().toString()}\n{execution.executedPlan().toString()}"
    numbers: dict[str, str] = {}
    text = plans.replace(str(folder), "FOLDER")
    # The number of an expression, #7, may also be the number of an exchange, plan_id=7.
    return re.sub(
        r"([#=])\d+", lambda m: m[1] + numbers.setdefault(m[0], str(len(numbers) + 1)), text
    )


def main() -> None:
    """Respond to all lines."""
    folder, jar = Path(sys.argv[1]), (sys.argv[2] if len(sys.argv) > 2 else None)
    began = time.perf_counter()
    spark = begin(folder, jar)
    print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)
    for line in sys.stdin:
        ((what, text),) = json.loads(line).items()
        answer: dict[str, object] = {}
        began = time.perf_counter()
        try:
            if what == "make":
                spark.sql(text)
            elif what == "plan":
                planned(spark, text)
            elif what == "shown":
                answer["plans"] = shown(spark, text, folder)
            elif what == "drop":
                spark.sql(text).write.format("noop").mode("overwrite").save()
            else:
                spark.sql(text).collect()
        except Exception as error:  # the other worker must fail with the same error
            answer["error"] = str(error).splitlines()[0]
        answer["seconds"] = time.perf_counter() - began
        print(json.dumps(answer), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
