"""Runs one query: the broker's topics, the client and the engine, each a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kafka_broker

from benchmarks.data import BUILD, ROOT
from benchmarks.latency import contender
from benchmarks.latency.contender import Contender
from benchmarks.streams.contenders import FLINK

HERE = Path(__file__).parent
# The connector for Flink 2.2 also runs on Flink 2.3.
FLINK_CONNECTOR = ("org.apache.flink:flink-sql-connector-kafka:5.0.0-2.2",)


class TurnError(Exception):
    """A query that failed, with the end of its log."""


@dataclass(frozen=True)
class Load:
    """What the client sends, and to how many partitions.

    Each rate is sent for `warm` and then for `measured` seconds; `batch` is the duration of a batch
    in real-time mode, and the interval between two checkpoints in Flink.
    """

    rates: tuple[int, ...] = (1_000, 10_000)
    warm: int = 300
    measured: int = 600
    backlog: int = 3_000_000
    partitions: int = 2
    keys: int = 1_000
    batch: int = 60

    @property
    def phases(self) -> str:
        return ",".join(f"{rate}:{self.warm}:{self.measured}" for rate in self.rates)


QUICK = Load(rates=(1_000,), warm=60, measured=60, backlog=2_000_000, batch=20)


@dataclass
class Turn:
    """The latencies of each rate in milliseconds, with their counts, and the backlog."""

    latencies: list[Counter[int]] = field(default_factory=list)
    rows: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    missing: int = 0
    wrong: int = 0
    repeated: int = 0
    first_wrong: str = ""
    worst_delay: int = 0
    load_before: float = 0.0

    @property
    def is_right(self) -> bool:
        return self.missing == self.wrong == 0


def run(query: Contender, load: Load, address: str, java: str, say: Callable[[str], None]) -> Turn:
    """Run it once, over new topics."""
    BUILD.mkdir(parents=True, exist_ok=True)
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="latency-", dir=BUILD) as made:
        folder = Path(made)
        name = folder.name
        options = {
            "bootstrap": address,
            "source": f"{name}-in",
            "target": f"{name}-out",
            "partitions": load.partitions,
            "keys": load.keys,
            "result": query.result,
            "phases": load.phases,
            "backlog": load.backlog,
        }
        command = ["java", "-Xmx1500m", "-cp", kafka_broker.classpath(), str(HERE / "Client.java")]
        command += [f"{option}={value}" for option, value in options.items()]
        with _started(command, folder / "client.log") as client:
            events = _events(client, folder / "client.log")
            assert next(events)["event"] == "ready"
            engine = _engine(query, load, options, folder, java)
            with _started(engine[0], folder / "engine.log", engine[1]) as process:
                threading.Thread(target=_end_with, args=(process, client), daemon=True).start()
                try:
                    return _watch(events, process, load, before, say)
                except TurnError as error:
                    raise TurnError(f"{query.line}: {error}\n{_end(folder)}") from error


def _end_with(engine: subprocess.Popen[str], client: subprocess.Popen[str]) -> None:
    """End the client if the query ends before it."""
    engine.wait()
    client.kill()


def _end(folder: Path) -> str:
    logs = ("engine.log", "client.log")
    return "\n".join((folder / log).read_text()[-3_000:] for log in logs)


def _engine(
    query: Contender, load: Load, options: dict[str, Any], folder: Path, java: str
) -> tuple[list[str], dict[str, str]]:
    """The command, and its environment."""
    places = [str(options[option]) for option in ("bootstrap", "source", "target")]
    places += [str(folder), str(load.partitions), str(load.batch)]
    if query.engine == contender.FLINK:
        store = query.mode.rpartition(" ")[2]
        command = [str(FLINK / "bin" / "python"), str(HERE / "flink_job.py"), str(query.sql), store]
        return [*command, *places, *kafka_broker.jars(FLINK_CONNECTOR)], {"PYTHONPATH": ""}
    command = [sys.executable, "-m", "benchmarks.latency.spark_job", query.name, *places]
    path = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    options_of_java = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {java}".strip()
    variables = {"PYTHONPATH": path, "SPARK_SUBMIT_OPTS": options_of_java}
    return [*command, ",".join(kafka_broker.connector())], variables


@contextmanager
def _started(
    command: list[str], log: Path, variables: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process with the processes that it starts, until its input ends."""
    with log.open("w") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **(variables or {})},
            cwd=ROOT,
            start_new_session=True,
        )
    try:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        process.wait(30)
    except subprocess.TimeoutExpired:
        pass
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _events(client: subprocess.Popen[str], log: Path) -> Iterator[dict[str, Any]]:
    assert client.stdout is not None
    for line in client.stdout:
        event: dict[str, Any] = json.loads(line)
        yield event
        if event["event"] == "end":
            return
    raise TurnError(f"the client has ended\n{log.read_text()[-3_000:]}")


def _watch(
    events: Iterator[dict[str, Any]],
    engine: subprocess.Popen[str],
    load: Load,
    before: float,
    say: Callable[[str], None],
) -> Turn:
    turn = Turn(load_before=before)
    used: dict[str, float] = {}
    for event in events:
        kind = event["event"]
        if engine.poll() is not None:
            raise TurnError("the query has ended")
        used[kind] = cpu_seconds(engine.pid)
        if kind == "phase":
            say(f"  {load.rates[event['number']]:,} rows/s")
        elif kind == "backlog":
            say(f"  a backlog of {load.backlog:,} rows")
        elif kind == "stalled":
            say(f"  {event['rows'] - event['found']:,} rows have no result")
        elif kind == "found":
            turn.rows, turn.seconds = event["rows"], event["millis"] / 1_000
            turn.cpu_seconds = used["found"] - used[event["from"]]
        elif kind == "latencies":
            counts = {int(ms): count for ms, count in event["counts"].items()}
            turn.latencies.append(Counter(counts))
        elif kind == "end":
            turn.missing = event["rows"] - event["found"]
            turn.wrong, turn.repeated = event["wrong"], event["repeated"]
            turn.first_wrong, turn.worst_delay = event["firstWrong"], event["worstDelay"]
    return turn


def cpu_seconds(session: int) -> float:
    """The processor time of all processes of a session; 0 on a system without /proc."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # has just ended
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
