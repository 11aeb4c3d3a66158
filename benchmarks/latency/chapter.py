"""Runs the queries in turns; their chapter of the report."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import kafka_broker

from benchmarks import machine, report
from benchmarks.latency import contender, turn
from benchmarks.latency.contender import REAL_TIME, Contender
from benchmarks.latency.turn import Load, Turn
from benchmarks.streams import contenders as streams

TITLE = "## Latency"
MOST_TIMES, MOST_MILLIS, LEAST_ROWS = 1.05, 30, 50_000
SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
# It compiles as on a server: the broker is a part of the latency.
BROKER_OPTIONS = ("-Xmx1g",)


@dataclass
class Found:
    """What the turns of a query have found."""

    query: Contender
    turns: list[Turn] = field(default_factory=list)

    def latencies(self, phase: int) -> Counter[int]:
        """Return the latencies of all turns together."""
        return sum((t.latencies[phase] for t in self.turns), Counter())

    @property
    def rows_per_second(self) -> float:
        return max((t.rows / t.seconds for t in self.turns if t.seconds), default=0.0)

    @property
    def rows_per_cpu_second(self) -> float:
        return max((t.rows / t.cpu_seconds for t in self.turns if t.cpu_seconds), default=0.0)


def percentile(latencies: Counter[int], share: float) -> int:
    """The least latency that this share of the rows does not exceed."""
    left = share * latencies.total()
    for millis in sorted(latencies):
        left -= latencies[millis]
        if left <= 1e-6:
            return millis
    raise ValueError("no row was measured")


def measure(
    queries: Sequence[Contender], load: Load, rounds: int, java: str, say: Callable[[str], None]
) -> list[Found]:
    """One turn of each query per round, all with one broker."""
    if any(q.engine == contender.FLINK for q in queries):
        streams.make_flink()
    found = [Found(query) for query in queries]
    with (
        tempfile.TemporaryDirectory(prefix="kafka-") as folder,
        kafka_broker.broker(Path(folder), BROKER_OPTIONS) as address,
    ):
        for number in range(rounds):
            for each in found:
                say(f"round {number + 1}, {each.query.line}")
                try:
                    made = turn.run(each.query, load, address, java, say)
                except turn.TurnError as error:
                    say(f"  failed: {error}")
                    continue
                each.turns.append(made)
                say("  " + ", ".join(_shown(made, load)))
    return found


def _shown(made: Turn, load: Load) -> list[str]:
    parts = []
    for rate, latencies in zip(load.rates, made.latencies, strict=True):
        if latencies:
            numbers = " ".join(f"{s} {percentile(latencies, v)}" for s, v in SHARES.items())
            parts.append(f"{rate:,}/s: {numbers} ms")
    if made.seconds and made.cpu_seconds:
        parts.append(f"{made.rows / made.seconds:,.0f} rows/s")
        parts.append(f"{made.rows / made.cpu_seconds:,.0f} rows per processor second")
    if not made.is_right:
        parts.append(f"{made.missing:,} missing, {made.wrong:,} wrong ({made.first_wrong})")
    if made.worst_delay > 100:
        parts.append(f"the client was up to {made.worst_delay} ms late")
    return parts


def chapter(load: Load, say: Callable[[str], None]) -> list[str]:
    """The chapter of the report: every query, one turn each."""
    return written(measure(contender.contenders(), load, 1, "", say), load, 1)


def written(found: Sequence[Found], load: Load, rounds: int) -> list[str]:
    """The lines of the chapter."""
    cores = os.cpu_count()
    tasks = 2 * load.partitions
    ran = [f for f in found if f.turns]
    busiest = max((t.load_before for f in ran for t in f.turns), default=0.0)
    rates = " and ".join(f"{rate:,}" for rate in load.rates)
    lines = [
        "",
        TITLE,
        "",
        f"From Kafka to Kafka, in milliseconds: the CreateTime of a result's record, which the "
        f"engine's producer sets when it sends the record, minus the CreateTime of its row. "
        f"{rates} rows per second of {load.keys:,} keys in {load.partitions} partitions, each rate "
        f"for {load.warm} s to warm up and {load.measured} s measured; then a backlog of "
        f"{load.backlog:,} rows, sent as fast as possible. Batches in real-time mode, and Flink's "
        f"checkpoints, are {load.batch} s apart. Each query ran in {_times(rounds)}, in a process "
        f"of its own with {tasks} task slots (local[{tasks}]); RocksDB keeps Spark's state, and "
        "`networkBufferMaxWaitTimeMs` is 1, as Flink's buffer timeout. The client, the broker and "
        f"the engine share the {cores} cores of one machine (load before a turn: up to "
        f"{busiest:.1f}), so only ratios within the run count. The client checks each result: one "
        f"for each row, with the count and the sum of its frame. {machine.when()}.",
        "",
        *report.table(["", "limit", "seen", "reached"], _limits(ran, load)),
        "",
        *report.table(_head(), [line for f in ran for line in _latencies(f, ran, load)]),
        "",
        "Saturation: rows per second of the last two thirds of the backlog, and per second of "
        "processor time of the engine's process (all its threads, with the JIT and garbage "
        "collection).",
        "",
        *report.table(
            ["", "rows/s", f"rows/s / {cores} cores", "rows per processor second", "of stock"],
            [_saturation(f, ran, cores or 1) for f in ran if load.backlog],
        ),
    ]
    failed = [f.query.line for f in found if not f.turns]
    return [*lines, "", *_verdict(ran, failed)]


def _times(rounds: int) -> str:
    return "one turn" if rounds == 1 else f"{rounds} turns"


def _head() -> list[str]:
    return ["", "rows/s", *SHARES, "max", "p50 / stock", "p99 / stock"]


def _stock(found: Sequence[Found], mode: str) -> Found | None:
    """Return dropDuplicates in the same mode; for Flink, in real-time mode."""
    mode = mode if mode == contender.MICRO_BATCHES else REAL_TIME
    matching = (f for f in found if f.query.result == "once" and f.query.mode == mode)
    return next(matching, None)


def _latencies(found: Found, all_found: Sequence[Found], load: Load) -> list[list[str]]:
    stock = _stock(all_found, found.query.mode)
    lines = []
    for phase, rate in enumerate(load.rates):
        latencies = found.latencies(phase)
        if not latencies:
            lines.append([found.query.line, f"{rate:,}", *[""] * 7])
            continue
        numbers = [f"{percentile(latencies, share):,}" for share in SHARES.values()]
        ratios = []
        for share in (0.5, 0.99):
            ratio = _ratio(found, stock, phase, share)
            ratios.append("" if ratio is None or found is stock else f"{ratio:.2f}")
        lines.append(
            [found.query.line, f"{rate:,}", *numbers, f"{max(latencies):,}", *ratios],
        )
    return lines


def _ratio(found: Found, stock: Found | None, phase: int, share: float) -> float | None:
    if stock is None or not found.latencies(phase) or not stock.latencies(phase):
        return None
    theirs = percentile(stock.latencies(phase), share)
    return percentile(found.latencies(phase), share) / max(1, theirs)


def _saturation(found: Found, all_found: Sequence[Found], cores: int) -> list[str]:
    stock = _stock(all_found, found.query.mode)
    is_rival = stock is not None and stock is not found and stock.rows_per_cpu_second
    return [
        found.query.line,
        f"{found.rows_per_second:,.0f}",
        f"{found.rows_per_second / cores:,.0f}",
        f"{found.rows_per_cpu_second:,.0f}",
        f"{found.rows_per_cpu_second / stock.rows_per_cpu_second:.2f}"
        if is_rival and stock
        else "",
    ]


def _limits(found: Sequence[Found], load: Load) -> list[list[str]]:
    """The limits of Muntin in real-time mode, with the worst value."""
    ours = [f for f in found if (f.query.engine, f.query.mode) == (contender.MUNTIN, REAL_TIME)]
    stock = _stock(found, REAL_TIME)
    lines = []
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        ratios = {
            f"{f.query.title}, {rate:,} rows/s": ratio
            for f in ours
            for phase, rate in enumerate(load.rates)
            if (ratio := _ratio(f, stock, phase, share)) is not None
        }
        what = f"{name} / {name} of stock dropDuplicates in real-time mode"
        lines.append(
            _limit(what, f"<= {MOST_TIMES}", ratios, max, lambda r: r <= MOST_TIMES, ".2f")
        )
    medians = {
        f"{f.query.title}, {rate:,} rows/s": float(percentile(f.latencies(phase), 0.5))
        for f in ours
        for phase, rate in enumerate(load.rates)
        if f.latencies(phase)
    }
    what = "p50 in real-time mode, ms"
    lines.append(_limit(what, f"< {MOST_MILLIS}", medians, max, lambda ms: ms < MOST_MILLIS, ".0f"))
    rows = {f.query.title: f.rows_per_cpu_second for f in ours if f.rows_per_cpu_second}
    what = "rows per second and core (of processor time) in real-time mode"
    lines.append(_limit(what, f">= {LEAST_ROWS:,}", rows, min, lambda n: n >= LEAST_ROWS, ",.0f"))
    return lines


def _limit(
    what: str,
    limit: str,
    seen: dict[str, float],
    worst_of: Callable[..., str],
    is_reached: Callable[[float], bool],
    form: str,
) -> list[str]:
    if not seen:
        return [what, limit, "not measured", "-"]
    worst = worst_of(seen, key=seen.__getitem__)
    verdict = "yes" if is_reached(seen[worst]) else "**no**"
    return [what, limit, f"{seen[worst]:{form}} ({worst})", verdict]


def _verdict(found: Sequence[Found], failed: Sequence[str]) -> list[str]:
    wrong = [
        f"- {f.query.line}: {t.missing:,} rows without a result, {t.wrong:,} wrong results"
        for f in found
        for t in f.turns
        if not t.is_right
    ]
    wrong += [f"- {line}: the query failed" for line in failed]
    if wrong:
        return ["Rows without a result, and wrong results:", "", *wrong]
    rows = sum(counts.total() for f in found for t in f.turns for counts in t.latencies)
    return [f"All results are right; {rows:,} were measured."]
