"""As-of joins of two DataFrames whose columns may have the same names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from muntin import _arguments as check
from muntin import _calls, _kinds
from muntin._errors import MuntinTypeError, MuntinValueError, invalid_type, invalid_value
from muntin.typing import AsofDirection, DurationLike, JoinType, NameOrPair

_HOW = {
    "left": "left",
    "leftouter": "left",
    "inner": "inner",
    "leftsemi": "left_semi",
    "semi": "left_semi",
    "leftanti": "left_anti",
    "anti": "left_anti",
}


def asof_join(
    left: DataFrame,
    right: DataFrame,
    on: NameOrPair,
    *,
    by: NameOrPair | Sequence[NameOrPair] | None = None,
    direction: AsofDirection = "backward",
    tolerance: DurationLike | float | Column | None = None,
    strict: bool = False,
    how: JoinType = "left",
    suffix: str = "_right",
) -> DataFrame:
    """Join each row of ``left`` with the row of ``right`` that was current at its time.

    It is a join by :func:`asof`, which defines the matching row. It corresponds to pandas'
    ``merge_asof`` and Polars' ``join_asof``.

    Parameters
    ----------
    left, right : DataFrame
        The rows to join, and the rows to search.
    on : str or tuple
        The times: the name of a column that both have, or the names of a column of ``left`` and a
        column of ``right``. Numbers, dates or timestamps.
    by : str, tuple, or sequence of these, optional
        Columns that must be equal: names that both have, or pairs of names.
    direction : {"backward", "forward", "nearest"}
        ``"backward"``: the last row at or before; ``"forward"``: the first at or after;
        ``"nearest"``: the nearer of the two, and the earlier one if both are equally near.
    tolerance : timedelta, number, str or Column, optional
        The maximum distance from the time of ``left``: a duration such as ``"10 minutes"`` for
        times, a number for numbers. Required on a stream.
    strict : bool
        Whether to exclude a row at exactly the time of ``left``.
    how : {"left", "inner", "left_semi", "left_anti"}
        ``"left"``: every row of ``left``; ``"inner"``: the rows of ``left`` with a match;
        ``"left_semi"`` and ``"left_anti"``: only the columns of ``left``, of the rows with a match,
        or without a match.
    suffix : str
        Added to the name of a column of ``right`` if ``left`` has a column of that name. Names are
        compared as in Spark: case-insensitively, unless ``spark.sql.caseSensitive`` is true.

    Returns
    -------
    DataFrame
        The columns of ``left``, and the columns of ``right`` without the columns of ``by`` that
        both have.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If ``how`` is another word, or two columns would have the same name.
    AnalysisException
        If a column is unknown, the times are of different kinds, or ``tolerance`` does not fit
        them.

    Examples
    --------
    >>> import muntin as mt
    >>> trades = spark.sql("VALUES (1, 'x', 4), (2, 'x', 5), (3, 'y', 2) AS trades(n, k, t)")
    >>> quotes = spark.sql("VALUES ('x', 0, 9), ('x', 5, 10), ('y', 4, 50) AS quotes(k, t, p)")
    >>> mt.asof_join(trades, quotes, "t", by="k").orderBy("n").show()
    +---+---+---+-------+----+
    |  n|  k|  t|t_right|   p|
    +---+---+---+-------+----+
    |  1|  x|  4|      0|   9|
    |  2|  x|  5|      5|  10|
    |  3|  y|  2|   NULL|NULL|
    +---+---+---+-------+----+
    """
    for name, given in (("left", left), ("right", right)):
        if not _kinds.is_frame(given):
            raise invalid_type("asof_join", name, given, "a DataFrame")
    _calls.require("asof_join", left.sparkSession)
    if not isinstance(suffix, str):
        raise invalid_type("asof_join", "suffix", suffix, "a str")
    join_type = _HOW.get(str(how).lower().replace("_", ""))
    if join_type is None:
        expected = "'left', 'inner', 'left_semi' or 'left_anti'"
        raise invalid_value("asof_join", "how", how, expected)
    left_time, right_time = _pair("on", on)
    given_keys = [] if by is None else [by] if isinstance(by, (str, tuple)) else by
    if not isinstance(given_keys, Sequence):
        raise _not_names("by", by)
    keys = [_pair("by", key) for key in given_keys]

    resolved = _resolver(left.sparkSession)
    same = {resolved(theirs) for ours, theirs in keys if resolved(ours) == resolved(theirs)}
    names = _names(left, right, same, suffix, resolved)
    found = right.select(
        *(_column(name).alias(new) for name, new in names.items()),
        _column(right_time).alias(_part("time")),
        *(_column(r).alias(_part(f"key_{i}")) for i, (_, r) in enumerate(keys)),
    )
    condition = _calls.call(
        "asof",
        _column(left_time),
        F.col(_part("time")),
        check.text("asof_join", "direction", direction),
        check.or_null(check.unit, "asof_join", "tolerance", tolerance),
        check.flag("asof_join", "strict", strict),
    )
    for i, (key, _) in enumerate(keys):
        condition = (_column(key) == F.col(_part(f"key_{i}"))) & condition
    return left.join(found, condition, join_type).drop(
        _part("time"), *(_part(f"key_{i}") for i in range(len(keys)))
    )


def _resolver(spark: SparkSession) -> Callable[[str], str]:
    """Return a function that normalizes column names as the session compares them."""
    is_sensitive = str(spark.conf.get("spark.sql.caseSensitive")).lower() == "true"
    return str if is_sensitive else str.lower


def _names(
    left: DataFrame,
    right: DataFrame,
    keys: set[str],
    suffix: str,
    resolved: Callable[[str], str],
) -> dict[str, str]:
    """Return the columns of `right` in the result, each with its name there."""
    taken = {resolved(name) for name in left.columns}
    names = {
        name: f"{name}{suffix}" if resolved(name) in taken else name
        for name in right.columns
        if resolved(name) not in keys
    }
    for name, new in names.items():
        if resolved(new) in taken:
            raise MuntinValueError("MUNTIN_DUPLICATE_COLUMN_AFTER_JOIN", column=name, renamed=new)
        taken.add(resolved(new))
    return names


def _pair(parameter: str, names: object) -> tuple[str, str]:
    if isinstance(names, str):
        return names, names
    if isinstance(names, tuple) and len(names) == 2:
        ours, theirs = names
        if isinstance(ours, str) and isinstance(theirs, str):
            return ours, theirs
    raise _not_names(parameter, names)


def _not_names(parameter: str, names: object) -> MuntinTypeError:
    expected = "the name of a column of both sides, or a pair: a column of left and one of right"
    return invalid_type("asof_join", parameter, names, expected)


def _column(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")


# Names that users' columns do not have.
def _part(name: str) -> str:
    return f"__muntin_asof_{name}"
