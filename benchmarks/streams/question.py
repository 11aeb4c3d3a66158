"""What is asked of a stream, and of whom."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Question:
    """A query by Muntin over the view `r`, and what else answers something like it.

    `stock` are queries of Spark's own stateful operators, `plain` the length in seconds of the
    frame that the transformWithState program keeps, `flink` a query of Flink's over the table `r`.
    `revised` is Muntin's query for output mode update.
    """

    title: str
    muntin: str
    stock: dict[str, str] = field(default_factory=dict)
    plain: int | None = None
    flink: str | None = None
    revised: str | None = None
