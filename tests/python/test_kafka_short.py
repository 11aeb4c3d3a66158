"""A short run over Kafka, if its jars can be downloaded; `make test-kafka` runs all tests."""

from __future__ import annotations

import subprocess
import sys

import kafka_broker
import pytest
from installed import ROOT

pytestmark = [pytest.mark.packaging, pytest.mark.streams]


def test_the_order_of_groups() -> None:
    try:
        kafka_broker.connector()
        kafka_broker.classpath()
    except kafka_broker.UnavailableError as error:
        pytest.skip(f"the jars of Kafka cannot be fetched: {error}")
    tests = "tests/python/test_kafka.py"
    command = [sys.executable, "-m", "pytest", "-q", "-m", "kafka", tests, "-k", "orders and group"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout, done.stdout
