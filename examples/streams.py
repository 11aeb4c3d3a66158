"""Window functions over streams: the query of a table, from files and from Spark's rate source.

python examples/streams.py
"""

import sqlite3
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import muntin as mt
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

spark = (
    mt.configure(SparkSession.builder.appName("streams"))
    .master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.log.level", "ERROR")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)


def rolling(readings: DataFrame) -> DataFrame:
    """Return each sensor's last minute, and the mean of its last three high readings."""
    minute = mt.over("sensor", "at", range=(timedelta(minutes=-1), timedelta(0)))
    so_far = Window.partitionBy("sensor").orderBy("at")
    return readings.withColumns(
        {
            "mean": F.avg("value").over(minute),
            "highest": F.max("value").over(minute),
            "last_3_high": mt.sliding(F.avg("value"), 3, F.col("value") > 50).over(so_far),
        }
    )


# From files: 3 sensors with a reading every 10 seconds for 10 minutes, shuffled in each of 5 files.
BEGIN = 1767225600  # 2026
folder = tempfile.mkdtemp()
readings = spark.range(180).select(
    (F.col("id") % 3).alias("sensor"),
    F.timestamp_seconds(BEGIN + F.floor(F.col("id") / 3) * 10).alias("at"),
    (F.col("id") * 37 % 101).cast("double").alias("value"),
)
for part in range(5):
    minutes = F.floor((F.unix_seconds("at") - BEGIN) / 120)
    rows = readings.where(minutes == part).orderBy(F.rand(7))
    rows.coalesce(1).write.mode("append").parquet(folder)

# The stream ends with its files: at its end, all buffered rows are emitted.
spark.conf.set("spark.muntin.stream.drain", "true")
stream = spark.readStream.schema(readings.schema).option("maxFilesPerTrigger", 1).parquet(folder)
query = (
    rolling(stream.withWatermark("at", "30 seconds"))
    .writeStream.format("memory")
    .queryName("results")
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()

results = spark.table("results")
results.orderBy("at", "sensor").show(5)

# The results equal the results of a batch over the same files.
in_a_batch = rolling(spark.read.parquet(folder))
assert results.exceptAll(in_a_batch).isEmpty()
assert in_a_batch.exceptAll(results).isEmpty()
assert results.count() == readings.count()
print(f"All {results.count()} rows were emitted, as in a batch over the same files.")
spark.conf.unset("spark.muntin.stream.drain")

# Early answers: each window's total as soon as it exists, and again when it changes. A table in
# SQLite has one row for each window.
database = Path(tempfile.mkdtemp(), "totals.db")
with closing(sqlite3.connect(database)) as db, db:
    db.execute("CREATE TABLE totals (key PRIMARY KEY, sensor, open, total, is_final)")


def merge(revised: DataFrame, _batch: int) -> None:
    rows = [row.asDict() for row in revised.collect()]
    gone = [row for row in rows if row["kind"] == "withdrawn"]
    there = [row for row in rows if row["kind"] != "withdrawn"]
    with closing(sqlite3.connect(database)) as db, db:
        db.executemany("DELETE FROM totals WHERE key = :key", gone)
        db.executemany(
            "REPLACE INTO totals VALUES (:key, :sensor, :open, :total, :kind = 'final')", there
        )


def totals(readings: DataFrame) -> DataFrame:
    """Return the total of each run of readings within a minute of the run's first reading."""
    return readings.groupBy("sensor", mt.field_window("at", 60)).agg(
        F.sum("value").alias("total"), mt.revision()
    )


revised = totals(stream.withWatermark("at", "5 minutes")).select(
    "sensor", F.unix_seconds("field_window.open").alias("open"), "total", "revision.*"
)
writer = revised.writeStream.foreachBatch(merge).outputMode("update")
writer.trigger(availableNow=True).start().awaitTermination()

with closing(sqlite3.connect(database)) as db:
    merged = set(db.execute("SELECT sensor, open, total FROM totals"))
    ended = db.execute("SELECT count(*) FROM totals WHERE is_final").fetchone()[0]
wanted = totals(spark.read.parquet(folder)).select(
    "sensor", F.unix_seconds("field_window.open"), "total"
)
assert merged == {tuple(row) for row in wanted.collect()}
print(f"{ended} of {len(merged)} totals are final; all equal a batch so far.")

# From Spark's rate source: the number of rows of each of four keys in the last second.
ticking = spark.readStream.format("rate").option("rowsPerSecond", 20).load()
ticking.withWatermark("timestamp", "0 seconds").createOrReplaceTempView("ticking")
live = spark.sql("""
    SELECT timestamp, value,
           count(*) OVER (PARTITION BY value % 4 ORDER BY timestamp
                          RANGE INTERVAL 1 SECOND PRECEDING) AS rows_of_a_second
    FROM ticking
""")
checkpoint = tempfile.mkdtemp()
writer = live.writeStream.format("memory").queryName("live")
writer = writer.option("checkpointLocation", checkpoint)
query = writer.trigger(processingTime="1 second").start()
while spark.table("live").count() < 60 and query.isActive:
    query.awaitTermination(1)
query.stop()
spark.table("live").orderBy(F.desc("timestamp")).show(3)

# The open results in the checkpoint: rows that wait for later rows, with their current results.
waiting = mt.pending(live, checkpoint)
print(f"{waiting.count()} rows wait.")
