"""A question about a stream, and its contenders."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Question:
    """A query of Muntin over the view `r`, and similar queries of other engines.

    `stock` are queries of Spark's own stateful operators, `plain` the length in seconds of the
    frame in the transformWithState program, `flink` a query of Flink over the table `r`.
    `revised` is Muntin's query for output mode update.
    """

    title: str
    muntin: str
    stock: dict[str, str] = field(default_factory=dict)
    plain: int | None = None
    flink: str | None = None
    revised: str | None = None
