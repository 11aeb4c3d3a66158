"""One session for all tests of a process: classic, or Spark Connect with ``--spark-connect``.

With ``--and-connect=N`` a classic process runs the same tests over Spark Connect at its end (in
``make test`` one in N). They run in a separate process, and its server is the JVM of the classic
tests: most classes are already loaded, and most generated code is already compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import archive
import muntin as mt
import pyspark
import pytest
from muntin import _sparks
from ports import free_port
from pyspark.sql import SparkSession
from selection import IS_LONG, SEED, is_in_shard, is_selected

# Tests of the checkout and of other libraries run on the newest Spark only.
collect_ignore = (
    []
    if pyspark.__version__.startswith(_sparks.SPARKS[-1].minor)
    else [
        f"tests/python/{name}.py"
        for name in (
            "test_benchmarks",
            "test_coming_from",
            "test_generated",
            "test_kafka",
            "test_kafka_short",
            "test_latency",
            "test_limitations",
            "test_pages",
            "test_release",
            "test_wheel",
        )
    ]
)

pytest_plugins = ["installed"]  # tests/python/installed.py

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
# Most code runs only a few times, so optimizing it takes longer than it saves. The default code
# cache of 48 MB is too small: the JVM would evict code and compile it again, all the time.
QUICKLY = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m -XX:+UseParallelGC"


def pytest_report_header() -> str:
    return f"MUNTIN_TESTS={os.environ.get('MUNTIN_TESTS', '')} MUNTIN_SEED={SEED}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--spark-connect", action="store_true", help="run over Spark Connect")
    parser.addoption("--server", help="the address of a server of Spark Connect")
    parser.addoption("--and-connect", type=int, help="then over Spark Connect, one in AND_CONNECT")
    parser.addoption("--sample", type=int, default=1, help="in `make test` one test in SAMPLE runs")
    kills = 20 if IS_LONG else 1
    parser.addoption("--kills", type=int, default=kills, help="how often a stream's process dies")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = SEED
    if "SPARK_SUBMIT_OPTS" not in os.environ and not config.getoption("--collect-only"):
        os.environ["SPARK_SUBMIT_OPTS"] = f"{QUICKLY} {archive.made(QUICKLY)}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        # The examples of the functions run on every Spark.
        if isinstance(item, pytest.DoctestItem):
            item.add_marker("smoke")
        of_streams = ("_change.py", "_history", "_pending", "_repartition", "_restore", "_state.py")
        if any(name in item.nodeid for name in of_streams):
            item.add_marker("streams")
        if item.get_closest_marker("streams") and _sparks.minor_of(pyspark.__version__) == "3.5":
            item.add_marker(pytest.mark.skip("windows over streams need Spark 4.0"))
    cases: Counter[str] = Counter()
    for item in items:
        for node, marker in item.iter_markers_with_node("sampled"):
            counted = item.nodeid.partition("[")[0] if node is item else node.nodeid
            # Each test begins at another number; otherwise every sample contains the first case.
            if not is_selected(crc32(counted.encode()) % 1000 + cases[counted], *marker.args):
                item.add_marker(NOT_SELECTED)
            cases[counted] += 1
    leave_out(config, items, [i for i, item in enumerate(items) if not is_in_shard(i)])
    for mark in ("beside", "dbt", "kafka"):
        if mark not in config.getoption("-m"):
            leave_out(config, items, marked(items, mark))
    if config.getoption("--spark-connect"):
        leave_out(config, items, marked(items, "packaging", "once"))
    most = config.getoption("--sample")
    # Each Spark runs another part of the sample.
    first = int(_sparks.minor_of(pyspark.__version__).partition(".")[2])
    for i, item in enumerate(items):
        if not is_selected(first + i, most):
            item.add_marker(NOT_SELECTED)


NOT_SELECTED = pytest.mark.skip(f"not in the sample of MUNTIN_SEED={SEED}; make test-long runs it")


def marked(items: list[pytest.Item], *marks: str) -> list[int]:
    """Return the places of the tests that have one of the marks."""
    return [
        i for i, item in enumerate(items) if any(item.get_closest_marker(mark) for mark in marks)
    ]


def leave_out(config: pytest.Config, items: list[pytest.Item], places: list[int]) -> None:
    left_out = set(places)
    config.hook.pytest_deselected(items=[items[i] for i in places])
    items[:] = [item for i, item in enumerate(items) if i not in left_out]


PORT = "spark.connect.grpc.binding.port"


def on_a_port_of_its_own(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Set a free port, so that several local servers of Spark Connect can run at a time."""
    from pyspark.sql.connect.client import DefaultChannelBuilder

    port = free_port()
    DefaultChannelBuilder.default_port = staticmethod(lambda: port)  # type: ignore[method-assign]
    return builder.config(PORT, str(port))


def run_over_connect(config: pytest.Config, port: int) -> int:
    """Run the tests of this process's command line over the server at a port."""
    most = config.getoption("--and-connect")
    asked = [a for a in config.invocation_params.args if not a.startswith("--and-connect")]
    command = [sys.executable, "-m", "pytest", *asked, "--spark-connect", f"--sample={most}"]
    capturing = config.pluginmanager.getplugin("capturemanager")
    assert capturing is not None
    with capturing.global_and_fixture_disabled():
        print("\nOver Spark Connect:", flush=True)
        return subprocess.run([*command, f"--server=sc://localhost:{port}"], check=False).returncode


@pytest.fixture(scope="session")
def spark(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SparkSession]:
    """Return the session with Muntin."""
    builder = SparkSession.builder
    config = request.config
    port = None
    if server := config.getoption("--server"):
        builder = builder.remote(server)
    elif config.getoption("--spark-connect"):
        builder = on_a_port_of_its_own(builder.remote("local[2]"))
    else:
        builder = builder.master("local[2]")
    if config.getoption("--and-connect"):
        port = free_port()
        plugin = "org.apache.spark.sql.connect.SparkConnectPlugin"
        builder = builder.config("spark.plugins", plugin).config(PORT, str(port))
    if "kafka" in config.getoption("-m"):
        from kafka_broker import connector

        builder = builder.config("spark.jars", ",".join(connector()))
    configured = (
        mt.configure(builder)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    )
    try:
        session = configured.getOrCreate()
    except Exception as error:  # otherwise every test would fail with this error
        pytest.exit(f"Spark did not start: {error}", returncode=1)
    yield session
    failed = port is not None and run_over_connect(config, port) != 0
    session.stop()
    assert not failed, "tests over Spark Connect have failed, see above"


@pytest.fixture(autouse=True)
def _doctest_spark(request: pytest.FixtureRequest, doctest_namespace: dict[str, Any]) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        doctest_namespace["spark"] = request.getfixturevalue("spark")
