"""From Kafka to Kafka: each result equals the result of a batch over the topic.

`make test-kafka` runs it with a broker; `make test` runs `test_orders[group]`.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import muntin as mt
import pytest
from installed import ROOT
from kafka_broker import broker, connector
from kafka_queries import (
    PARTITIONS,
    features,
    options,
    ordered,
    parsed,
    readings,
    start,
    to_records,
)
from kafka_real_time import SOURCE, TARGET, at_once
from older import is_before
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from selection import SEED
from test_docs import OVER_KAFKA, run_page

pytestmark = [pytest.mark.kafka, pytest.mark.streams, pytest.mark.packaging]

ORDER = "spark.muntin.stream.order"
DRAIN = "spark.muntin.stream.drain"
PROGRAM = Path(__file__).with_name("kafka_queries.py")
IN_REAL_TIME = PROGRAM.with_name("kafka_real_time.py")
STRINGS = "org.apache.kafka.common.serialization.StringSerializer"

# partition, key, value
Record = tuple[int, str, str | None]


@dataclass
class Kafka:
    """The broker and a session that uses it."""

    spark: SparkSession
    address: str

    @property
    def jvm(self) -> Any:
        return self.spark._jvm

    def properties(self, **more: str) -> Any:
        made = self.jvm.java.util.Properties()
        made.put("bootstrap.servers", self.address)
        for name, value in more.items():
            made.put(name.replace("_", "."), value)
        return made

    def create(self, topic: str, partitions: int = 2, **settings: str) -> str:
        """Create a topic, and return its name."""
        admin = self.jvm.org.apache.kafka.clients.admin
        made = admin.NewTopic(topic, partitions, 1)
        made.configs({name.replace("_", "."): value for name, value in settings.items()})
        client = admin.AdminClient.create(self.properties())
        try:
            client.createTopics([made]).all().get()
        finally:
            client.close()
        return topic

    def write(self, records: DataFrame, topic: str) -> None:
        to = {"kafka.bootstrap.servers": self.address, "topic": topic}
        records.write.format("kafka").options(**to).save()

    def send(self, topic: str, records: Sequence[Record], *, commits: bool = True) -> None:
        """Send records in a transaction. Its end uses an offset of each partition."""
        clients = self.jvm.org.apache.kafka.clients.producer
        settings = {"key.serializer": STRINGS, "value.serializer": STRINGS}
        properties = self.properties(transactional_id=f"of_{topic}", **settings)
        producer = clients.KafkaProducer(properties)
        try:
            producer.initTransactions()
            producer.beginTransaction()
            for partition, key, value in records:
                producer.send(clients.ProducerRecord(topic, partition, key, value))
            if commits:
                producer.commitTransaction()
            else:
                producer.abortTransaction()
        finally:
            producer.close()

    def stream(self, topic: str, **more: str) -> DataFrame:
        reader = self.spark.readStream.format("kafka").options(**options(self.address, topic))
        return reader.options(**more).load()

    def table(self, topic: str, **more: str) -> DataFrame:
        reader = self.spark.read.format("kafka").options(**options(self.address, topic))
        return reader.options(**more).load()

    def values(self, topic: str) -> list[str]:
        rows = self.table(topic).select(F.col("value").cast("string").alias("value")).collect()
        return [row.value for row in rows]

    def run(
        self, records: DataFrame, topic: str, checkpoint: Path, mode: str = "append"
    ) -> list[Any]:
        """Run a query to the end of its topic, and return the progress of its micro-batches."""
        query = start(records, self.address, topic, checkpoint, mode=mode)
        try:
            assert query.awaitTermination(300)
            return list(query.recentProgress)
        finally:
            query.stop()


@pytest.fixture(scope="module")
def kafka(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    with broker(tmp_path_factory.mktemp("kafka")) as address:
        yield Kafka(spark, address)


@contextlib.contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    for name, value in values.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name in values:
            spark.conf.unset(name)


def of_batch(query: DataFrame) -> list[str]:
    return sorted(row.value for row in to_records(query).collect())


@pytest.mark.parametrize("order", PARTITIONS)
def test_orders(kafka: Kafka, tmp_path: Path, order: str) -> None:
    # First a backlog, read in parts, then more rows for the same checkpoint, then the end.
    source = kafka.create(f"in_{order}", PARTITIONS[order])
    target = kafka.create(f"out_{order}")
    parts = 0
    for step, count in enumerate((150, 60, 40)):
        first = sum((150, 60, 40)[:step])
        kafka.write(readings(kafka.spark, order, first, count), source)
        with settings(kafka.spark, {ORDER: order, DRAIN: str(step == 2).lower()}):
            rows = ordered(parsed(kafka.stream(source, maxOffsetsPerTrigger="40")), order)
            parts += len(kafka.run(to_records(features(rows)), target, tmp_path / "checkpoint"))
    assert parts >= 6
    assert sorted(kafka.values(target)) == of_batch(features(parsed(kafka.table(source))))
    # With a key, the rows of a group stay in order, in one partition.
    for row in in_order(kafka.table(target)):
        assert len(row.partitions) == 1
        assert list(row.times) == sorted(row.times)


def in_order(records: DataFrame) -> list[Any]:
    time = F.get_json_object(F.col("value").cast("string"), "$.at")
    place = F.struct("partition", "offset", time.alias("at"))
    rows = records.groupBy(F.col("key").cast("string").alias("k")).agg(
        F.collect_set("partition").alias("partitions"),
        F.array_sort(F.collect_list(place)).alias("places"),
    )
    return rows.select("k", "partitions", F.col("places.at").alias("times")).collect()


def test_windows_of_groups(kafka: Kafka, tmp_path: Path) -> None:
    source, target = kafka.create("in_windows"), kafka.create("out_windows")

    def windows(rows: DataFrame) -> DataFrame:
        minutes = rows.groupBy("k", mt.tumble("at", "1 minute"))
        made = minutes.agg(F.sum("x").alias("total"), F.count("*").alias("n"))
        return made.select("k", "tumble.start", "tumble.end", "total", "n")

    emitted = []
    for step in range(2):
        kafka.write(readings(kafka.spark, "group", step * 120, 120), source)
        with settings(kafka.spark, {ORDER: "group", DRAIN: str(step == 1).lower()}):
            rows = parsed(kafka.stream(source, maxOffsetsPerTrigger="40"))
            kafka.run(to_records(windows(rows)), target, tmp_path / "checkpoint")
        emitted.append(len(kafka.values(target)))
    assert 0 < emitted[0] < emitted[1]
    assert sorted(kafka.values(target)) == of_batch(windows(parsed(kafka.table(source))))


def test_partitions_at_different_times(kafka: Kafka, tmp_path: Path) -> None:
    source, target = kafka.create("in_apart"), kafka.create("out_apart")
    kafka.write(readings(kafka.spark, "group", 0, 120), source)
    with settings(kafka.spark, {ORDER: "arrival"}):
        rows = parsed(kafka.stream(source, maxOffsetsPerTrigger="40"))
        arriving = to_records(features(rows))
        with pytest.raises(StreamingQueryException, match="MUNTIN_ROW_OUT_OF_ORDER"):
            kafka.run(arriving, target, tmp_path / "arrival")
    # All partitions share one watermark, so the rows of the lagging partition are late.
    rows = ordered(parsed(kafka.stream(source, maxOffsetsPerTrigger="40")), "watermark")
    done = kafka.run(to_records(features(rows)), target, tmp_path / "watermark")
    states = [s for p in done for s in p["stateOperators"]]
    assert sum(s["numRowsDroppedByWatermark"] for s in states) > 0


def test_records_that_are_not_readings(kafka: Kafka, tmp_path: Path) -> None:
    source, target = kafka.create("in_broken"), kafka.create("out_broken")
    rows_of = readings(kafka.spark, "group", 0, 90).collect()
    made: list[Record] = [(row.partition, row.key, row.value) for row in rows_of]
    broken: list[Record] = [
        (0, "k0", None),
        (0, "k0", '{"id": 1, "k": "k0", "at'),
        (1, "k1", "[]"),
        (1, "k1", '{"id": 2}'),
    ]
    more: dict[str, str] = {"kafka.isolation.level": "read_committed", "maxOffsetsPerTrigger": "25"}
    for at in range(0, 90, 30):
        kafka.send(source, [*made[at : at + 15], *broken, *made[at + 15 : at + 30]])
        kafka.send(source, made[:5], commits=False)
        with settings(kafka.spark, {ORDER: "group", DRAIN: str(at == 60).lower()}):
            rows = parsed(kafka.stream(source, **more))
            kafka.run(to_records(features(rows)), target, tmp_path / "checkpoint")
    table = kafka.table(source, **{"kafka.isolation.level": "read_committed"})
    places = [(row.partition, row.offset) for row in table.select("partition", "offset").collect()]
    newest = {p: max(offset for q, offset in places if q == p) for p in (0, 1)}
    assert len(places) < sum(offset + 1 for offset in newest.values())
    values = kafka.values(target)
    assert len(values) == 90
    assert sorted(values) == of_batch(features(parsed(table)))


def test_a_compacted_topic(kafka: Kafka, tmp_path: Path) -> None:
    source = kafka.create("in_revised")
    target = kafka.create("out_revised", cleanup_policy="compact")

    def windows(rows: DataFrame) -> DataFrame:
        minutes = rows.groupBy("k", mt.tumble("at", "1 minute"))
        made = minutes.agg(F.sum("x").alias("total"), F.count("*").alias("n"), mt.revision())
        return made.select("revision", "k", "tumble.start", "total", "n")

    def revised(rows: DataFrame) -> DataFrame:
        return windows(rows).select(
            F.col("revision.key").alias("key"),
            F.to_json(F.struct("k", "start", "total", "n")).alias("value"),
            F.array(
                F.struct(
                    F.lit("batch").alias("key"),
                    F.col("revision.batch").cast("string").cast("binary").alias("value"),
                )
            ).alias("headers"),
        )

    checkpoint = tmp_path / "checkpoint"
    for step in range(3):
        kafka.write(readings(kafka.spark, "group", step * 80, 80), source)
        with settings(kafka.spark, {ORDER: "group", DRAIN: str(step == 2).lower()}):
            rows = parsed(kafka.stream(source, maxOffsetsPerTrigger="40"))
            kafka.run(revised(rows), target, checkpoint, mode="update")
        if step == 0:
            # As if the query had been killed before the commit.
            newest = max(int(file.name) for file in (checkpoint / "commits").glob("[0-9]*"))
            for name in (f"{newest}", f".{newest}.crc"):
                (checkpoint / "commits" / name).unlink(missing_ok=True)
    records = kafka.table(target, includeHeaders="true").orderBy("partition", "offset").collect()
    latest: dict[str, tuple[int, bytes]] = {}
    seen: dict[tuple[str, int], bytes] = {}
    for row in records:
        key, batch = bytes(row.key).decode(), int(bytes(row.headers[0].value).decode())
        value = bytes(row.value)
        if key not in latest or batch > latest[key][0]:
            latest[key] = (batch, value)
            seen[key, batch] = value
        # A repeated record is recognized by its key and its batch, and has the same bytes.
        assert seen[key, batch] == value
    assert len(latest) < len(seen) < len(records)
    expected = windows(parsed(kafka.table(source))).drop("revision")
    assert sorted(value.decode() for _, value in latest.values()) == of_batch_values(expected)


def of_batch_values(query: DataFrame) -> list[str]:
    values = query.select(F.to_json(F.struct("*")).alias("value")).collect()
    return sorted(row.value for row in values)


def test_killed(kafka: Kafka, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """A killed query may write records to Kafka twice, with the same bytes."""
    kills = pytestconfig.getoption("--kills")
    moment = random.Random(SEED)
    for order, partitions in PARTITIONS.items():
        kafka.create(f"kill_{order}", partitions)
        kafka.create(f"killed_{order}")
    written = 0

    def write(count: int) -> None:
        nonlocal written
        for order in PARTITIONS:
            kafka.write(readings(kafka.spark, order, written, count), f"kill_{order}")
        written += count

    def run(*more: str) -> subprocess.Popen[str]:
        program = [sys.executable, str(PROGRAM), kafka.address, str(tmp_path)]
        command = [*program, ",".join(connector()), *more]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)

    def commits() -> int:
        return len(list(tmp_path.glob("*/commits/[0-9]*")))

    write(60)
    for _ in range(kills):
        process = run()
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        until = commits() + moment.choice([1, 4, 8])
        while commits() < until and process.poll() is None:
            write(20)
        time.sleep(moment.uniform(0, 1))
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    write(20)
    process = run("--to-the-end")
    try:
        assert process.wait(timeout=600) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    for order in PARTITIONS:
        values = kafka.values(f"killed_{order}")
        print(f"{order}: {written} rows, {len(values) - written} are repeated")
        assert sorted(set(values)) == of_batch(features(parsed(kafka.table(f"kill_{order}"))))
        assert len(set(values)) == written


@pytest.mark.skipif(is_before("4.3"), reason="it has no state in real-time mode")
def test_killed_in_real_time_mode(kafka: Kafka, tmp_path: Path) -> None:
    """Each record has a result while the query runs, and the same bytes after a kill."""
    kafka.create(SOURCE)
    kafka.create(TARGET)
    checkpoint, written = tmp_path / "checkpoint", 0

    def write(count: int) -> None:
        nonlocal written
        kafka.write(readings(kafka.spark, "group", written, count), SOURCE)
        written += count

    command = [sys.executable, str(IN_REAL_TIME), kafka.address, str(checkpoint)]
    command.append(",".join(connector()))
    for _ in range(2):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "running\n"
            for count in (40, 30):
                write(count)
                end = time.monotonic() + 120
                while len(set(kafka.values(TARGET))) < written:
                    assert process.poll() is None
                    assert time.monotonic() < end
            while not list(checkpoint.glob("commits/[0-9]*")):
                assert process.poll() is None
                time.sleep(0.1)
            write(20)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    # The query resumes from the checkpoint in micro-batches.
    with settings(kafka.spark, {ORDER: "group"}):
        kafka.run(to_records(at_once(parsed(kafka.stream(SOURCE)))), TARGET, checkpoint)
    values = kafka.values(TARGET)
    assert sorted(set(values)) == of_batch(at_once(parsed(kafka.table(SOURCE))))
    assert len(set(values)) == written


def test_the_page(kafka: Kafka) -> None:
    for topic in ("payments", "features"):
        kafka.create(topic)
    kafka.create("latest", cleanup_policy="compact")
    run_page(kafka.spark, OVER_KAFKA, {"localhost:9092": kafka.address})


def test_the_example(kafka: Kafka) -> None:
    for topic in ("example-payments", "example-features"):
        kafka.create(topic)
    command = [sys.executable, str(ROOT / "examples/kafka_features.py"), kafka.address]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "equal a batch" in done.stdout, done.stdout
