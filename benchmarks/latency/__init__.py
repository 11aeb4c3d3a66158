"""The latency of windows from Kafka to Kafka."""

import sys

from benchmarks.data import ROOT

# kafka_broker, which starts the broker
sys.path.append(str(ROOT / "examples"))
