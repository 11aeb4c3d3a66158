"""The demo's questions about windows of groups, to copy, with the queries of stock Spark."""

from __future__ import annotations

import muntin as mt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from newyork.question import Question

STRONG = 40  # miles per hour


def in_the_air(spark: SparkSession) -> DataFrame:
    """Return the number of planes in the air at any time of the year."""
    return spark.sql("""
        SELECT validity.start, validity.end, count(*) AS planes
        FROM departures
        WHERE landed IS NOT NULL
        GROUP BY validity(departed, landed)
    """)


def in_the_air_by_steps(spark: SparkSession) -> DataFrame:
    """Compute it without `validity`: add one at each departure, subtract one at each landing."""
    return spark.sql("""
        SELECT start, end, planes
        FROM (SELECT at AS start,
                     lead(at) OVER (ORDER BY at) AS end,
                     sum(step) OVER (ORDER BY at) AS planes
              FROM (SELECT at, sum(step) AS step
                    FROM (SELECT departed AS at, 1 AS step FROM departures WHERE landed IS NOT NULL
                          UNION ALL
                          SELECT landed, -1 FROM departures WHERE landed IS NOT NULL)
                    GROUP BY at))
        WHERE planes > 0
    """)


def by_the_hour(spark: SparkSession) -> DataFrame:
    """Return each airport's departures per hour."""
    hour = mt.field_window("departed", 3600, 3600)
    counted = spark.table("departures").groupBy("origin", hour).agg(F.count("*").alias("flights"))
    return counted.select("origin", "field_window.open", "flights")


def by_sparks_hour(spark: SparkSession) -> DataFrame:
    """Compute it with Spark's own tumbling window."""
    hour = F.window("departed", "1 hour")
    counted = spark.table("departures").groupBy("origin", hour).agg(F.count("*").alias("flights"))
    return counted.select("origin", F.col("window.start").alias("open"), "flights")


def weekly(spark: SparkSession) -> DataFrame:
    """Return the mean delay of the last seven days, every day."""
    return spark.sql("""
        SELECT origin, field_window.open, avg(delay) AS mean, max(delay) AS worst
        FROM departures
        GROUP BY origin, field_window(departed, INTERVAL 7 DAYS, INTERVAL 1 DAY, open => 'all')
    """)


def weekly_by_copies(spark: SparkSession) -> DataFrame:
    """Compute it with Spark's own sliding window, which copies each row seven times."""
    return spark.sql("""
        SELECT origin, window.start AS open, avg(delay) AS mean, max(delay) AS worst
        FROM departures
        GROUP BY origin, window(departed, '7 days', '1 day')
    """)


def month_ends(spark: SparkSession) -> DataFrame:
    """Return a plane's flights per month in New York, including months without flights."""
    return spark.sql("""
        SELECT plane, ticks.end AS at, count(*) AS flights, sum(delay) AS delay
        FROM departures
        WHERE plane IS NOT NULL
        GROUP BY plane, ticks(departed, 'monthly', 'America/New_York')
    """)


def month_ends_of_a_sequence(spark: SparkSession) -> DataFrame:
    """Compute it without `ticks`: generate a plane's months, and join them with its flights."""
    return spark.sql("""
        WITH flown AS (SELECT plane, delay, add_months(trunc(departed - INTERVAL 1 MICROSECOND,
                                                             'month'), 1) AS month
                       FROM departures WHERE plane IS NOT NULL),
             months AS (SELECT plane, explode(sequence(first, last, INTERVAL 1 MONTH)) AS month
                        FROM (SELECT plane, min(month) AS first FROM flown GROUP BY plane)
                        CROSS JOIN (SELECT max(month) AS last FROM flown))
        SELECT m.plane, CAST(m.month AS TIMESTAMP) AS at, count(f.plane) AS flights,
               sum(f.delay) AS delay
        FROM months m LEFT JOIN flown f ON f.plane = m.plane AND f.month = m.month
        GROUP BY m.plane, m.month
    """)


def gusts(spark: SparkSession) -> DataFrame:
    """Return the hours with a strong gust of wind, with an hour before and after each."""
    return (
        spark.table("weather")
        .where(F.col("gust") > STRONG)
        .select(
            "origin",
            "hour",
            "gust",
            F.expr("hour - INTERVAL 1 HOUR").alias("before"),
            F.expr("hour + INTERVAL 1 HOUR").alias("after"),
        )
    )


def around_gusts(spark: SparkSession) -> DataFrame:
    """Return the departures within an hour of each strong gust."""
    windows = mt.window_by(
        spark.table("departures"),
        gusts(spark),
        time="departed",
        start="before",
        end="after",
        on=["origin"],
    )
    return windows.agg(F.count("*").alias("flights"), F.avg("delay").alias("mean"))


def around_gusts_by_join(spark: SparkSession) -> DataFrame:
    """Compute it without `window_by`: join each gust with the departures around it."""
    departures = spark.table("departures").select("origin", "departed", "delay")
    around = F.expr("d.origin = g.origin AND d.departed BETWEEN g.before AND g.after")
    return (
        gusts(spark)
        .alias("g")
        .join(departures.alias("d"), around, "left")
        .groupBy("g.origin", "hour", "gust", "before", "after")
        .agg(F.count("departed").alias("flights"), F.avg("delay").alias("mean"))
    )


IN_THE_AIR = Question(
    "in_the_air",
    "planes in the air at any moment: validity",
    in_the_air,
    ("start",),
    stock_query=in_the_air_by_steps,
)

GROUP_QUESTIONS = (
    IN_THE_AIR,
    Question(
        "by_the_hour",
        "an airport's departures per hour: field_window",
        by_the_hour,
        ("origin", "open"),
        stock_query=by_sparks_hour,
    ),
    Question(
        "weekly",
        "delay, seven days, one a day: field_window",
        weekly,
        ("origin", "open"),
        stock_query=weekly_by_copies,
    ),
    Question(
        "month_ends",
        "a plane's flights at each month's end: ticks",
        month_ends,
        ("plane", "at"),
        stock_query=month_ends_of_a_sequence,
    ),
    Question(
        "around_gusts",
        f"departures within an hour of gusts over {STRONG} mph: window_by",
        around_gusts,
        ("origin", "hour"),
        stock_query=around_gusts_by_join,
    ),
)
