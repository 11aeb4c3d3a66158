"""A query from Kafka to Kafka in real-time mode, for a test that kills it.

python kafka_real_time.py ADDRESS CHECKPOINT JARS
"""

from __future__ import annotations

import sys
from pathlib import Path

import muntin as mt
from kafka_queries import features, options, parsed, to_records
from pyspark.sql import SparkSession

SOURCE, TARGET = "real_time_in", "real_time_out"


def main(address: str, checkpoint: Path, jars: str) -> None:
    # All tasks run at once: two that read the topic, and two with the windows.
    builder = SparkSession.builder.master("local[4]").config("spark.jars", jars)
    spark = (
        mt.configure(builder, real_time=True)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.log.level", "OFF")
        .config("spark.muntin.stream.order", "group")
        .getOrCreate()
    )
    rows = parsed(spark.readStream.format("kafka").options(**options(address, SOURCE)).load())
    writer = (
        to_records(features(rows))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", address)
        .option("topic", TARGET)
        .option("checkpointLocation", str(checkpoint))
        .outputMode("update")
    )
    query = writer.trigger(realTime="5 seconds").start()
    print("running", flush=True)
    query.awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
