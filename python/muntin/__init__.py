"""Windowed aggregates on Apache Spark: the Python package of the Muntin jar.

The jar extends Spark's planner and runs the windows. This package contains the jar and adds it to
a session; queries do not change::

    import muntin as mt

    spark = mt.configure(SparkSession.builder).getOrCreate()  # a session from a builder
    mt.register(spark)                                        # a running classic session

Functions add windows that SQL cannot express, in classic sessions and over Spark Connect::

    mt.sliding(F.avg("delay"), 20, F.col("delay").isNotNull()).over(by_departure)

``python -m muntin doctor`` checks the installation.
"""

from typing import NoReturn

from muntin import _jar, _spark_here
from muntin._errors import MuntinError
from muntin._jar import jar
from muntin._version import __version__

_why_not = _spark_here.why_not_importable()

if _why_not is None:
    from muntin._aggregations import aggregations
    from muntin._aggregators import Aggregator, aggregator, apply
    from muntin._asof_join import asof_join
    from muntin._calls import is_active
    from muntin._change import change, compare
    from muntin._functions import (
        asof,
        bottom_n,
        bound,
        completeness,
        counter_increase,
        counter_rate,
        delta,
        ewm_corr,
        ewm_cov,
        ewm_mean,
        ewm_std,
        ewm_var,
        field_window,
        fill,
        framed,
        histogram,
        hop,
        intervals,
        is_complete,
        merge_partial,
        nth,
        overlaps,
        partial,
        pct_change,
        rate,
        resample,
        revision,
        session,
        session_number,
        sessions,
        since,
        sliding,
        ticks,
        time_steps,
        time_weighted_avg,
        top_n,
        tumble,
        validity,
        window_by,
        window_rows,
    )
    from muntin._history import bootstrap
    from muntin._pending import pending
    from muntin._picture import Picture, picture
    from muntin._refresh import affected, refresh
    from muntin._repartition import repartition
    from muntin._resample import Resampled
    from muntin._restore import restore
    from muntin._session import configure, register
    from muntin._state import state
    from muntin._window_by import WindowBy, clock
    from muntin._windows import complete, over, rolling

    _jar.warn_where_there_is_none()
else:
    # The commands of `python -m muntin` run without pyspark, and report what is missing.
    def __getattr__(name: str) -> NoReturn:
        if name in __all__:
            raise ImportError(f"muntin.{name} {_why_not}", name="pyspark")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Aggregator",
    "MuntinError",
    "Picture",
    "Resampled",
    "WindowBy",
    "__version__",
    "affected",
    "aggregations",
    "aggregator",
    "apply",
    "asof",
    "asof_join",
    "bootstrap",
    "bottom_n",
    "bound",
    "change",
    "clock",
    "compare",
    "complete",
    "completeness",
    "configure",
    "counter_increase",
    "counter_rate",
    "delta",
    "ewm_corr",
    "ewm_cov",
    "ewm_mean",
    "ewm_std",
    "ewm_var",
    "field_window",
    "fill",
    "framed",
    "histogram",
    "hop",
    "intervals",
    "is_active",
    "is_complete",
    "jar",
    "merge_partial",
    "nth",
    "over",
    "overlaps",
    "partial",
    "pct_change",
    "pending",
    "picture",
    "rate",
    "refresh",
    "register",
    "repartition",
    "resample",
    "restore",
    "revision",
    "rolling",
    "session",
    "session_number",
    "sessions",
    "since",
    "sliding",
    "state",
    "ticks",
    "time_steps",
    "time_weighted_avg",
    "top_n",
    "tumble",
    "validity",
    "version",
    "window_by",
    "window_rows",
]


def version() -> str:
    """Return the version of this package and of its jar.

    Examples
    --------
    >>> import muntin as mt
    >>> mt.version() in mt.jar()
    True
    """
    return __version__
