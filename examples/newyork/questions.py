"""The demo's questions, to copy: plain Spark, and at the end some Muntin functions."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import muntin as mt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from newyork.group_questions import GROUP_QUESTIONS
from newyork.question import Question


def temperature(spark: SparkSession) -> DataFrame:
    """Return the last 24 hours of an airport's weather, for any number of readings."""
    return spark.sql("""
        SELECT origin, hour, temp,
               min(temp) OVER day AS low,
               max(temp) OVER day AS high,
               avg(temp) OVER day AS mean
        FROM weather
        WINDOW day AS (PARTITION BY origin ORDER BY hour
                       RANGE BETWEEN INTERVAL 24 HOURS PRECEDING AND CURRENT ROW)
    """)


def departures(spark: SparkSession, last: int, until: str = "2014-01-02") -> DataFrame:
    """Return an airport's last departures; carrier and flight order departures of one minute."""
    return spark.sql(f"""
        SELECT origin, scheduled, carrier, flight, delay,
               avg(delay) OVER recent AS mean,
               stddev(delay) OVER recent AS spread
        FROM departures
        WHERE departed < '{until}'
        WINDOW recent AS (PARTITION BY origin ORDER BY departed, carrier, flight
                          ROWS BETWEEN {last - 1} PRECEDING AND CURRENT ROW)
    """)


def planes(spark: SparkSession) -> DataFrame:
    """Return the difference of a flight's delay from the mean of the plane's last 100 flights."""
    before = Window.partitionBy("plane").orderBy("departed").rowsBetween(-100, -1)
    return (
        spark.table("departures")
        .where("plane IS NOT NULL")
        .withColumn("usual", F.avg("delay").over(before))
        .withColumn("above_usual", F.col("delay") - F.col("usual"))
    )


def typical_delays(spark: SparkSession, median: str = "median(delay)") -> DataFrame:
    """Return the median and the 90th percentile of an airport's last 500 departures, in January."""
    return spark.sql(f"""
        SELECT origin, scheduled, carrier, flight, delay,
               {median} OVER recent AS usual,
               percentile(delay, 0.9) OVER recent AS bad
        FROM departures
        WHERE departed < '2013-02-01'
        WINDOW recent AS (PARTITION BY origin ORDER BY departed, carrier, flight
                          ROWS BETWEEN 499 PRECEDING AND CURRENT ROW)
    """)


def destinations(spark: SparkSession) -> DataFrame:
    """Return the number of destinations of a plane's last 100 flights."""
    last = Window.partitionBy("plane").orderBy("departed").rowsBetween(-99, 0)
    return (
        spark.table("departures")
        .where("plane IS NOT NULL")
        .withColumn("places", F.count_distinct("dest").over(last))
    )


def destinations_by_sets(spark: SparkSession) -> DataFrame:
    """Compute it in stock Spark, which rejects DISTINCT in a window."""
    last = Window.partitionBy("plane").orderBy("departed").rowsBetween(-99, 0)
    return (
        spark.table("departures")
        .where("plane IS NOT NULL")
        .withColumn("places", F.size(F.collect_set("dest").over(last)).cast("bigint"))
    )


def last_20(spark: SparkSession) -> DataFrame:
    """Return the mean delay of an airport's last 20 flights that were not cancelled."""
    return spark.sql("""
        SELECT origin, scheduled, carrier, flight, delay,
               sliding(avg(delay), 20, where => delay IS NOT NULL) OVER so_far AS mean
        FROM flights
        WHERE scheduled < '2013-03-01'
        WINDOW so_far AS (PARTITION BY origin ORDER BY scheduled, carrier, flight)
    """)


def last_20_of_a_list(spark: SparkSession) -> DataFrame:
    """Compute it without `sliding`: from the end of the list of all delays, without nulls."""
    return spark.sql("""
        SELECT origin, scheduled, carrier, flight, delay,
               IF(size(delays) < 20, NULL,
                  aggregate(slice(delays, -20, 20), 0L, (a, b) -> a + b) / 20) AS mean
        FROM (SELECT *, collect_list(delay) OVER (PARTITION BY origin
                                                  ORDER BY scheduled, carrier, flight) AS delays
              FROM flights
              WHERE scheduled < '2013-03-01')
    """)


def since_late(spark: SparkSession) -> DataFrame:
    """Return the number of a plane's flights since a departure that was over an hour late."""
    flown = Window.partitionBy("plane").orderBy("departed", "carrier", "flight")
    return (
        spark.table("departures")
        .where("plane IS NOT NULL")
        .withColumn("flights", mt.since(F.count("*"), F.col("delay") > 60).over(flown))
    )


def since_late_by_parts(spark: SparkSession) -> DataFrame:
    """Compute it without `since`: number the parts first, and use the number as a key."""
    flown = Window.partitionBy("plane").orderBy("departed", "carrier", "flight")
    before = flown.rowsBetween(Window.unboundedPreceding, -1)
    within = Window.partitionBy("plane", "part").orderBy("departed", "carrier", "flight")
    return (
        spark.table("departures")
        .where("plane IS NOT NULL")
        .withColumn("part", F.count_if(F.col("delay") > 60).over(before))
        .withColumn("flights", F.count("*").over(within))
        .drop("part")
    )


def band(spark: SparkSession) -> DataFrame:
    """Return the band of the last 24 hours' temperatures, from partials of each hour."""
    hours = (
        spark.table("weather")
        .groupBy("origin", "hour")
        .agg(mt.partial(F.min("temp")).alias("lows"), mt.partial(F.max("temp")).alias("highs"))
    )
    day = mt.over("origin", "hour", range=(timedelta(hours=-24), timedelta(0)))
    return hours.select(
        "origin",
        "hour",
        mt.merge_partial(F.min("lows")).over(day).alias("low"),
        mt.merge_partial(F.max("highs")).over(day).alias("high"),
    )


def band_of_extremes(spark: SparkSession) -> DataFrame:
    """Compute it without partials, from the minimum and the maximum of each hour."""
    hours = (
        spark.table("weather")
        .groupBy("origin", "hour")
        .agg(F.min("temp").alias("low"), F.max("temp").alias("high"))
    )
    by_time = Window.partitionBy("origin").orderBy(F.unix_micros("hour"))
    day = by_time.rangeBetween(-24 * 3600 * 1_000_000, 0)
    return hours.select(
        "origin", "hour", F.min("low").over(day).alias("low"), F.max("high").over(day).alias("high")
    )


FLIGHT = ("origin", "scheduled", "carrier", "flight")

TEMPERATURE = Question(
    "temperature",
    "temperature, preceding 24 hours: min, max, avg",
    temperature,
    ("origin", "hour"),
    ("mean",),
)

QUESTIONS = (
    TEMPERATURE,
    Question(
        "last_500",
        "delay, airport's last 500 departures: avg, stddev",
        partial(departures, last=500),
        FLIGHT,
        ("spread",),
    ),
    Question(
        "last_20000_until_february",
        "delay, last 20,000 departures, January",
        partial(departures, last=20_000, until="2013-02-01"),
        FLIGHT,
        ("spread",),
    ),
    Question(
        "last_20000",
        "delay, last 20,000 departures, the whole year",
        partial(departures, last=20_000),
        FLIGHT,
        ("spread",),
        stock=False,
    ),
    Question(
        "plane",
        "delay against the mean of the plane's last 100",
        planes,
        FLIGHT,
    ),
    Question(
        "typical_delays",
        "delay, last 500 departures, January: median, 90th percentile",
        typical_delays,
        FLIGHT,
        stock_query=partial(typical_delays, median="percentile(delay, 0.5)"),
    ),
    Question(
        "destinations",
        "distinct destinations of the plane's last 100 flights",
        destinations,
        FLIGHT,
        stock_query=destinations_by_sets,
    ),
    Question(
        "last_20",
        "delay, last 20 not cancelled, January and February: sliding",
        last_20,
        FLIGHT,
        stock_query=last_20_of_a_list,
    ),
    Question(
        "since_late",
        "flights since the plane last left over an hour late: since",
        since_late,
        FLIGHT,
        stock_query=since_late_by_parts,
    ),
    Question(
        "band",
        "temperature, 24 hours from hourly partials: merge_partial",
        band,
        ("origin", "hour"),
        stock_query=band_of_extremes,
    ),
    *GROUP_QUESTIONS,
)

NOTES = """\
Stock Spark rejects median() and DISTINCT in a moving window, so it ran percentile(delay, 0.5) and
the size of collect_set(dest) instead. It does not have sliding, since or partials. Its queries
slice the list of all delays so far (over two months, because the list grows with every flight),
number the parts by a first window and partition a second window by the number, and take the
extremes of each hour's extremes. For validity it added +1 at each take-off and -1 at each landing.
For ticks it joined each plane with a sequence of months, and for window_by each gust with the
departures around it.

* Stock Spark computes each frame of 20,000 rows from scratch, which takes minutes for the whole
year. To save time, both engines ran this width on January only."""
