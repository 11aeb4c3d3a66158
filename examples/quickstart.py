"""The last hour of each sensor, in SQL and in DataFrame code; Muntin runs both.

python examples/quickstart.py
"""

import muntin as mt
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = (
    mt.configure(SparkSession.builder.appName("quickstart"))
    .master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.log.level", "ERROR")
    .config("spark.sql.session.timeZone", "UTC")
    .getOrCreate()
)

# 10 sensors with a reading per minute, for a week.
readings = spark.range(10 * 7 * 24 * 60).select(
    (F.col("id") % 10).alias("sensor"),
    F.timestamp_seconds(F.floor(F.col("id") / 10) * 60).alias("at"),
    (F.col("id") * 37 % 101).alias("value"),
)
readings.createOrReplaceTempView("readings")

in_sql = spark.sql("""
    SELECT sensor, at, value,
           avg(value) OVER hour AS mean,
           max(value) OVER hour AS highest
    FROM readings
    WINDOW hour AS (PARTITION BY sensor ORDER BY at RANGE INTERVAL 1 HOUR PRECEDING)
""")

hour = Window.partitionBy("sensor").orderBy(F.unix_seconds("at")).rangeBetween(-3600, 0)
in_python = readings.withColumns(
    {"mean": F.avg("value").over(hour), "highest": F.max("value").over(hour)}
)

in_sql.orderBy("at", "sensor").offset(100_000).show(5)
in_sql.explain()

assert in_sql.exceptAll(in_python).isEmpty()
