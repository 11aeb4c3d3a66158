"""A Kafka broker to try queries with: one node, on this machine only.

python examples/kafka_broker.py

It prints its address, and runs until its standard input ends (Ctrl-D). `pip install jgo`, which
downloads the broker once (60 MB), and a Java of 17 or later on the PATH are all that it needs.
Tests, benchmarks and examples/realtime.py start it with `broker`.
"""

from __future__ import annotations

import contextlib
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import jgo
from jgo.maven import MavenContext

BROKER = "org.apache.kafka:kafka_2.13:4.0.2"

# Spark's connector, without the jars that Spark contains. Maven Central has no connector for 4.3.0.
CONNECTOR = (
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.2.0",
    "org.apache.kafka:kafka-clients:3.9.2",
    "org.apache.commons:commons-pool2:2.13.1",
    "org.scala-lang.modules:scala-parallel-collections_2.13:1.2.0",
)

# Few messages: compiling all code well takes longer than it saves.
QUICK = ("-Xmx384m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qk"
SECONDS = 120


class UnavailableError(Exception):
    """A jar that cannot be downloaded."""


def connector() -> list[str]:
    """Return the jars of the Spark connector; download missing jars."""
    return jars(CONNECTOR)


def jars(artifacts: tuple[str, ...]) -> list[str]:
    """Return the files of these Maven artifacts, without dependencies; download missing files."""
    maven = MavenContext()
    try:
        parts = (artifact.split(":") for artifact in artifacts)
        return [str(maven.project(g, a).at_version(v).artifact().resolve()) for g, a, v in parts]
    except (OSError, RuntimeError, ValueError) as error:
        raise UnavailableError(str(error)) from error


def classpath() -> str:
    """Return the class path of the broker; download missing jars."""
    try:
        folder = jgo.build(BROKER).path
    except (OSError, RuntimeError, ValueError) as error:
        raise UnavailableError(str(error)) from error
    return ":".join(str(folder / name / "*") for name in ("jars", "modules"))


@contextlib.contextmanager
def broker(folder: Path, options: tuple[str, ...] = QUICK) -> Iterator[str]:
    """Run a broker with its data in a folder and these Java options, and return its address."""
    port, controller = free_port(), free_port()
    address = f"127.0.0.1:{port}"
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listeners": f"PLAINTEXT://{address},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://{address}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(folder / "data"),
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "group.initial.rebalance.delay.ms": "0",
        "auto.create.topics.enable": "false",
    }
    file = folder / "server.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    java = ["java", *options, "-cp", classpath()]
    form = [*java, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(file)]
    formatted = subprocess.run(form, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert formatted.returncode == 0, formatted.stdout + formatted.stderr
    log = folder / "broker.log"
    with log.open("wb") as out:
        # Its own session: Ctrl-C in the terminal must end the queries first.
        process = subprocess.Popen(
            [*java, "kafka.Kafka", str(file)],
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_for(port, process, log)
        yield address
    finally:
        process.kill()
        process.wait()


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the broker listens."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def free_port() -> int:
    """Return a free port outside the range of ephemeral ports, which other processes may get."""
    while True:
        port = random.randint(15_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="kafka-") as folder,
        broker(Path(folder)) as address,
        contextlib.suppress(KeyboardInterrupt),
    ):
        print(address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
