"""Card payments from Kafka, with alerts within milliseconds: OVER in Spark's real-time mode.

python examples/realtime.py

The program starts a broker (examples/kafka_broker.py, which needs `pip install jgo`), sends
payments of 1,000 cards to the topic card-payments, and runs one query. The query computes features
of each payment with windows over the earlier payments of its card. It writes the payment to the
topic card-alerts if the features are suspicious, else to card-features. Watch it in the terminal,
or in a browser at the address that it prints. Ctrl-C ends it.

    --bootstrap localhost:9092   use this broker, and create the topics in it
    --rate 50                    payments per second
    --seconds 30                 end this long after the first result
    --port 8765                  the page's port
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import deque
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import muntin as mt
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
PAYMENTS, FEATURES, ALERTS = "card-payments", "card-features", "card-alerts"
PARTITIONS = 1
CARDS = 1_000
CITIES = ("Berlin", "Lagos", "Lima", "Oslo", "Pune")
PAYMENT = "card string, at timestamp, amount double, city string"
PAGE = Path(__file__).with_name("realtime.html")

# The frames look back. So the result of a payment does not wait for a later payment.
QUERY = """
    SELECT *,
           CASE WHEN in_10_seconds >= 4 THEN concat(in_10_seconds, ' payments in 10 seconds')
                WHEN amount > 8 * mean AND so_far > 5 THEN 'far above the mean of the card'
                WHEN city <> city_before AND at < before + INTERVAL 20 SECONDS
                THEN concat(city_before, ' and ', city, ' within 20 seconds')
           END AS alert
    FROM (SELECT card, at, amount, city, sent,
                 count(*) OVER (card RANGE INTERVAL 10 SECONDS PRECEDING) AS in_10_seconds,
                 count(*) OVER minute AS in_a_minute,
                 round(sum(amount) OVER minute, 2) AS spent_in_a_minute,
                 round(avg(amount) OVER earlier, 2) AS mean,
                 count(*) OVER card AS so_far,
                 lag(city) OVER card AS city_before,
                 lag(at) OVER card AS before
          FROM payments
          WINDOW card AS (PARTITION BY card ORDER BY at),
                 earlier AS (card ROWS BETWEEN 50 PRECEDING AND 1 PRECEDING),
                 minute AS (card RANGE INTERVAL 1 MINUTE PRECEDING))
"""


def session() -> SparkSession:
    """Return a session with a task slot for each task: all tasks of a batch run at once."""
    builder = SparkSession.builder.appName("realtime").master(f"local[{2 * PARTITIONS}]")
    return (
        mt.configure(builder, real_time=True)
        .config("spark.jars.packages", CONNECTOR)
        .config("spark.sql.shuffle.partitions", str(PARTITIONS))
        .config("spark.shuffle.streaming.networkBufferMaxWaitTimeMs", "1")
        .config("spark.muntin.stream.order", "group")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )


def results(spark: SparkSession, topic: DataFrame) -> DataFrame:
    """Return a record for each payment, with the topic to which Spark writes it."""
    payment = F.from_json(F.col("value").cast("string"), PAYMENT).alias("payment")
    rows = topic.select(payment, F.col("timestamp").alias("sent")).select("payment.*", "sent")
    rows.where("at IS NOT NULL").createOrReplaceTempView("payments")
    return spark.sql(QUERY).select(
        F.when(F.col("alert").isNull(), FEATURES).otherwise(ALERTS).alias("topic"),
        F.col("card").alias("key"),
        F.to_json(F.struct("*")).alias("value"),
    )


class Kafka:
    """The clients of Kafka that Spark's connector contains."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        self.jvm: Any = spark._jvm
        self.address = address

    def properties(self, **settings: str) -> Any:
        made = self.jvm.java.util.Properties()
        made.put("bootstrap.servers", self.address)
        for name, value in settings.items():
            made.put(name.replace("_", "."), value)
        return made

    def create(self, *topics: str) -> None:
        """Create the topics that do not exist."""
        admin = self.jvm.org.apache.kafka.clients.admin
        client = admin.AdminClient.create(self.properties())
        try:
            existing = client.listTopics().names().get()
            missing = [t for t in topics if not existing.contains(t)]
            client.createTopics([admin.NewTopic(t, PARTITIONS, 1) for t in missing]).all().get()
        finally:
            client.close()

    def producer(self) -> Any:
        name = "org.apache.kafka.common.serialization.StringSerializer"
        settings = self.properties(key_serializer=name, value_serializer=name, linger_ms="0")
        return self.jvm.org.apache.kafka.clients.producer.KafkaProducer(settings)

    def consumer(self, *topics: str) -> Any:
        """Return a consumer of the records that are written from now on."""
        name = "org.apache.kafka.common.serialization.StringDeserializer"
        settings = self.properties(key_deserializer=name, value_deserializer=name)
        made = self.jvm.org.apache.kafka.clients.consumer.KafkaConsumer(settings)
        partition = self.jvm.org.apache.kafka.common.TopicPartition
        all_of = [partition(topic, p) for topic in topics for p in range(PARTITIONS)]
        made.assign(all_of)
        made.seekToEnd(all_of)
        for each in all_of:
            made.position(each)
        return made


class Watch:
    """What the program has seen, for the terminal and the page."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sent = self.found = self.alerts = 0
        # The time of the first result. Earlier payments waited for the start of the query.
        self.began: float | None = None
        self.newest: deque[dict[str, Any]] = deque(maxlen=12)
        self.newest_alerts: deque[dict[str, Any]] = deque(maxlen=8)
        self.latencies: deque[int] = deque(maxlen=600)

    def add(self, result: dict[str, Any], sent: float, millis: int) -> None:
        with self.lock:
            self.found += 1
            if self.began is None:
                self.began = time.time()
            if sent > self.began:
                self.latencies.append(millis)
            row = {**result, "ms": millis}
            self.newest.appendleft(row)
            if "alert" in result:
                self.alerts += 1
                self.newest_alerts.appendleft(row)

    def state(self) -> dict[str, Any]:
        with self.lock:
            last = sorted(self.latencies)
            return {
                "sent": self.sent,
                "found": self.found,
                "alerts": self.alerts,
                "median": statistics.median_low(last) if last else None,
                "p99": last[len(last) * 99 // 100] if last else None,
                "latencies": list(self.latencies)[-120:],
                "newest": list(self.newest),
                "newestAlerts": list(self.newest_alerts),
            }


def send(kafka: Kafka, rate: float, watch: Watch, stop: threading.Event) -> None:
    """Send payments until `stop` is set: some cards are used by thieves for a few seconds."""
    chance = random.Random(7)
    homes = {f"card-{n:03}": chance.choice(CITIES) for n in range(CARDS)}
    stolen: deque[tuple[str, str]] = deque()
    producer = kafka.producer()
    record = kafka.jvm.org.apache.kafka.clients.producer.ProducerRecord
    last = 0
    while not stop.is_set():
        if not stolen and chance.random() < 0.01:
            thief = (chance.choice(list(homes)), chance.choice(CITIES))
            stolen.extend([thief] * chance.randint(2, 8))
        is_stolen = bool(stolen) and chance.random() < 0.2
        card, city = stolen.popleft() if is_stolen else chance.choice(list(homes.items()))
        amount = round(chance.lognormvariate(5 if is_stolen else 3, 0.6), 2)
        # The payments of a card must be in order.
        last = max(last + 1, time.time_ns() // 1_000)
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(last / 1e6)) + f".{last % 10**6:06}Z"
        payment = json.dumps({"card": card, "at": at, "amount": amount, "city": city})
        producer.send(record(PAYMENTS, card, payment))
        with watch.lock:
            watch.sent += 1
        # A few payments until Spark has started.
        stop.wait(1 / rate if watch.began else 1.0)
    producer.close()


def read(kafka: Kafka, consumer: Any, watch: Watch, stop: threading.Event) -> None:
    """Read the results. The latency is from the payment's record to the result's record."""
    wait = kafka.jvm.java.time.Duration.ofMillis(100)
    while not stop.is_set():
        records = consumer.poll(wait).iterator()
        while records.hasNext():
            record = records.next()
            result = json.loads(record.value())
            sent = datetime.fromisoformat(result["sent"]).timestamp()
            watch.add(result, sent, record.timestamp() - round(sent * 1_000))
    consumer.close()


def serve(watch: Watch, port: int) -> ThreadingHTTPServer:
    """Serve the page on this machine only."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_state = self.path == "/state"
            body = json.dumps(watch.state()).encode() if is_state else PAGE.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", "application/json" if is_state else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def shown(state: dict[str, Any]) -> str:
    """Return the state as lines of text."""
    head = (
        f"{state['sent']:,} payments sent, {state['found']:,} results, {state['alerts']:,} alerts; "
        f"latency: median {state['median']} ms, p99 {state['p99']} ms"
    )
    lines = [
        head,
        "",
        f"{'card':<9}{'amount':>9}{'in 10 s':>9}{'in 1 min':>9}{'mean':>9}{'ms':>6}  alert",
    ]
    lines += [
        f"{r['card']:<9}{r['amount']:>9.2f}{r['in_10_seconds']:>9}{r['in_a_minute']:>9}"
        f"{r.get('mean', 0):>9.2f}{r['ms']:>6}  {r.get('alert', '')}"
        for r in state["newest"]
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bootstrap", help="the address of a broker; without it, one is started")
    parser.add_argument("--rate", type=float, default=50.0, help="payments per second")
    parser.add_argument("--seconds", type=float, help="end this long after the first result")
    parser.add_argument("--port", type=int, default=8765, help="of the page; 0 for any")
    options = parser.parse_args()
    with contextlib.ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="realtime-")))
        address = options.bootstrap
        if address is None:
            from kafka_broker import broker

            print("Starting a broker of Kafka; the first time, it is downloaded.", flush=True)
            address = opened.enter_context(broker(folder))
        spark = session()
        opened.callback(spark.stop)
        kafka = Kafka(spark, address)
        kafka.create(PAYMENTS, FEATURES, ALERTS)

        to = {"kafka.bootstrap.servers": address}
        topic = spark.readStream.format("kafka").options(**to, subscribe=PAYMENTS).load()
        trigger = {"realTime": "1 minute"}
        query = (
            results(spark, topic)
            .writeStream.format("kafka")
            .options(**to, checkpointLocation=str(folder / "checkpoint"))
            .outputMode("update")
            .trigger(**trigger)
            .start()
        )
        opened.callback(query.stop)
        # Spark logs the tasks that a stop of the query ends.
        opened.callback(spark.sparkContext.setLogLevel, "OFF")

        watch, stop = Watch(), threading.Event()
        server = serve(watch, options.port)
        opened.callback(server.shutdown)
        consumer = kafka.consumer(FEATURES, ALERTS)
        threads = [
            threading.Thread(target=read, args=(kafka, consumer, watch, stop)),
            threading.Thread(target=send, args=(kafka, options.rate, watch, stop)),
        ]
        for thread in threads:
            thread.start()
        page = f"http://127.0.0.1:{server.server_address[1]}"
        print(f"Watch it at {page}; Ctrl-C ends it.", flush=True)
        until = float("inf")
        try:
            while query.isActive and time.monotonic() < until:
                if options.seconds is not None and watch.found > 0:
                    until = min(until, time.monotonic() + options.seconds)
                if sys.stdout.isatty():
                    print(f"\033[2J\033[H{page}\n{shown(watch.state())}", flush=True)
                time.sleep(0.5)
        except KeyboardInterrupt:
            pass
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        if error := query.exception():
            raise error
        print(shown(watch.state()))


if __name__ == "__main__":
    main()
