"""The demo's questions: plain Spark, to be copied. None of it knows of Muntin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window


def temperature(spark: SparkSession) -> DataFrame:
    """The last 24 hours of an airport's weather: a frame of time, whatever readings it holds."""
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
    """An airport's last departures; carrier and flight order those of the same minute."""
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
    """How a flight's delay differs from the mean of the same plane's last 100 flights."""
    before = Window.partitionBy("plane").orderBy("departed").rowsBetween(-100, -1)
    return (
        spark.table("departures")
        .where("plane IS NOT NULL")
        .withColumn("usual", F.avg("delay").over(before))
        .withColumn("above_usual", F.col("delay") - F.col("usual"))
    )


def typical_delays(spark: SparkSession, median: str = "median(delay)") -> DataFrame:
    """What is usual and what is bad among an airport's last 500 departures, until February."""
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
    """To how many places a plane has gone with its last 100 flights."""
    last = Window.partitionBy("plane").orderBy("departed").rowsBetween(-99, 0)
    return (
        spark.table("departures")
        .where("plane IS NOT NULL")
        .withColumn("places", F.count_distinct("dest").over(last))
    )


def destinations_by_sets(spark: SparkSession) -> DataFrame:
    """The same for stock Spark, which takes no DISTINCT in a window."""
    last = Window.partitionBy("plane").orderBy("departed").rowsBetween(-99, 0)
    return (
        spark.table("departures")
        .where("plane IS NOT NULL")
        .withColumn("places", F.size(F.collect_set("dest").over(last)).cast("bigint"))
    )


@dataclass(frozen=True)
class Question:
    """A query, and what is needed to compare two results of it.

    Parameters
    ----------
    name
        The directory of its results.
    title
        What the table calls it.
    query
        The query, over the views `weather` and `departures`.
    key
        The columns that tell its rows apart.
    floating
        The columns in which stock Spark adds floating numbers, where the order of addition shows in
        the last digits: compared to 1e-9 relative. Every other column must be equal.
    stock
        Whether stock Spark runs it too.
    stock_query
        What stock Spark is asked instead, where it refuses the query.
    """

    name: str
    title: str
    query: Callable[[SparkSession], DataFrame]
    key: tuple[str, ...]
    floating: tuple[str, ...] = ()
    stock: bool = True
    stock_query: Callable[[SparkSession], DataFrame] | None = None


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
        "last_20000_until_march",
        "delay, last 20,000 departures, January and February",
        partial(departures, last=20_000, until="2013-03-01"),
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
)

NOTES = """\
Stock Spark refuses median() and DISTINCT in a moving window: it was asked for
percentile(delay, 0.5) and for the size of collect_set(dest) instead.

* Stock Spark computes each frame of 20,000 rows anew, which for the whole year takes it minutes;
  so that you need not wait, it ran at that width on January and February only, as Muntin did."""
