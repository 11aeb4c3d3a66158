"""As-of joins of two DataFrames whose columns may have the same names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Union

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from muntin import _arguments as check
from muntin import _calls, _kinds
from muntin._arguments import Unit
from muntin._errors import MuntinTypeError, MuntinValueError, invalid_type, invalid_value

Names = Union[str, tuple[str, str]]

Direction = Literal["backward", "forward", "nearest"]

How = Literal[
    "left",
    "leftouter",
    "left_outer",
    "inner",
    "leftsemi",
    "left_semi",
    "semi",
    "leftanti",
    "left_anti",
    "anti",
]

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
    on: Names,
    *,
    by: Names | Sequence[Names] | None = None,
    direction: Direction = "backward",
    tolerance: Unit | None = None,
    strict: bool = False,
    how: How = "left",
    suffix: str = "_right",
) -> DataFrame:
    """Join each row of ``left`` with the row of ``right`` that was current at its time.

    It is a join by :func:`asof`, which says which row is found; pandas' ``merge_asof`` and Polars'
    ``join_asof`` are the same.

    Parameters
    ----------
    left, right : DataFrame
        The rows that look for one, and those that are found.
    on : str or tuple
        The times: the name of a column that both have, or the names of one of ``left`` and one of
        ``right``. Numbers, dates or timestamps.
    by : str, tuple, or sequence of these, optional
        Columns that have to be equal: names that both have, or pairs of names.
    direction : {"backward", "forward", "nearest"}
        ``"backward"``: the last row at or before; ``"forward"``: the first at or after;
        ``"nearest"``: whichever of the two is nearer, and the earlier one where both are as near.
    tolerance : timedelta, number, str or Column, optional
        How far from the time of ``left`` the row may be: a duration such as ``"10 minutes"`` for
        times, a number for numbers. On a stream it has to be there.
    strict : bool
        Whether a row at exactly the time of ``left`` does not count.
    how : {"left", "inner", "left_semi", "left_anti"}
        ``"left"``: every row of ``left`` is emitted; ``"inner"``: those for which a row is found;
        ``"left_semi"`` and ``"left_anti"``: the columns of ``left`` alone, of the rows for which
        one is found, or none.
    suffix : str
        Added to the name of a column of ``right`` if ``left`` has a column of that name. Names are
        compared as in Spark: case-insensitively, unless ``spark.sql.caseSensitive`` is true.

    Returns
    -------
    DataFrame
        The columns of ``left``, and those of ``right`` but columns of ``by`` that both have.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If ``how`` is another word, or two columns would have one name.
    AnalysisException
        If a column is unknown, the times are not of one kind, or ``tolerance`` does not fit them.

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
    """Return a function that makes column names equal if they are the same to the session."""
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


# No names of anybody's columns.
def _part(name: str) -> str:
    return f"__muntin_asof_{name}"
