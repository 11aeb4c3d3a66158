"""Runs a question from its first row to its last and returns the duration."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from benchmarks.data import BUILD
from benchmarks.session import CORES
from benchmarks.streams.data import DISORDER_SECONDS, Readings

FLINK = BUILD / "flink"
FLINK_VERSION = "2.3.0"
# A contender that takes longer is stopped.
LIMIT_SECONDS = 240


@dataclass(frozen=True)
class Run:
    """The seconds of a run, and the maximum size of its state.

    `on_disk` is the size of RocksDB's compressed files, and `written` the number of bytes that were
    written to it, if the operator reports them. `is_ended` is false if the run was stopped.
    """

    seconds: float
    rows: int = 0
    on_disk: int = 0
    written: int = 0
    is_ended: bool = True


def stream(spark: SparkSession, data: Readings) -> DataFrame:
    """Return the stream of the rows, with a file for each micro-batch."""
    schema = "k BIGINT, t TIMESTAMP, until TIMESTAMP, v DOUBLE"
    files = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    return files.parquet(str(data.path)).withWatermark("t", f"{DISORDER_SECONDS} seconds")


@contextlib.contextmanager
def checkpoint() -> Iterator[str]:
    """Yield a folder for one run, because the store of the previous run may still be writing."""
    folder = tempfile.mkdtemp(prefix="checkpoint-", dir=BUILD)
    # Delete the folder again at the end, when no thread is writing.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def run(frame: DataFrame, mode: str = "append") -> Run:
    """Run the question from the first file to the last."""
    with checkpoint() as folder:
        writer = frame.writeStream.format("noop").outputMode(mode)
        writer = writer.option("checkpointLocation", folder).trigger(availableNow=True)
        began = time.perf_counter()
        query = writer.start()
        is_ended = bool(query.awaitTermination(LIMIT_SECONDS))
        query.stop()
        seconds = time.perf_counter() - began
    rows, on_disk, written = 0, 0, 0
    for progress in query.recentProgress:
        for operator in progress.stateOperators:
            metrics: dict[str, Any] = json.loads(operator.json)["customMetrics"]
            rows = max(rows, metrics.get("numRowsBuffered", operator.numRowsTotal))
            on_disk = max(on_disk, metrics.get("rocksdbSstFileSize", 0))
            written = max(written, metrics.get("stateBytes", 0))
    return Run(seconds, rows, on_disk, written, is_ended)


def plain(spark: SparkSession, frame: DataFrame, seconds: int) -> Run:
    """Run the program from the Spark documentation: a list of rows in transformWithState."""
    jvm: Any = spark._jvm
    java = jvm.io.muntin.benchmarks.PlainOver.of(frame._jdf, seconds)
    return run(DataFrame(java, spark))


def flink(data: Readings, query: str, backend: str) -> Run:
    """Run Flink's query, in a separate environment."""
    python = FLINK / "bin" / "python"
    script = Path(__file__).with_name("flink_job.py")
    options = [str(data.text), query, backend, str(CORES), str(DISORDER_SECONDS)]
    process = subprocess.Popen(
        [str(python), str(script), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": ""},
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        # Kill the process and its JVM.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Run(LIMIT_SECONDS, is_ended=False)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, process.args, out)
    return Run(float(out.strip().splitlines()[-1]))


def make_flink() -> None:
    """Create the environment, unless it exists."""
    if FLINK.exists():
        return
    unfinished = FLINK.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(FLINK)], check=True)
    pip = [str(FLINK / "bin" / "pip"), "install", "-q", f"apache-flink=={FLINK_VERSION}"]
    subprocess.run(pip, check=True)
