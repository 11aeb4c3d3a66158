"""Features of card payments, from Kafka to Kafka: each result equals the result of a batch.

kafka-topics.sh --bootstrap-server localhost:9092 --create --topic example-payments --partitions 2
kafka-topics.sh --bootstrap-server localhost:9092 --create --topic example-features --partitions 2
python examples/kafka_features.py localhost:9092
"""

import sys
import tempfile
from datetime import timedelta

import muntin as mt
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
SOURCE, TARGET = "example-payments", "example-features"
PAYMENT = "card string, at timestamp, amount double"
FEATURE = f"partition int, offset bigint, {PAYMENT}, spent double, payments bigint, mean double"

address = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"
kafka = {"kafka.bootstrap.servers": address}
spark = (
    mt.configure(SparkSession.builder.appName("kafka_features"))
    .master("local[2]")
    .config("spark.jars.packages", CONNECTOR)
    .config("spark.ui.enabled", "false")
    .config("spark.log.level", "ERROR")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)

# 300 payments of 20 cards, 5 seconds apart. The record's key is the card, so the payments of a card
# are in one partition, in order.
made = spark.range(0, 300, 1, 1).select(
    F.concat(F.lit("card-"), F.col("id") * 7 % 20).alias("card"),
    F.timestamp_seconds(F.lit(1767225600) + F.col("id") * 5).alias("at"),
    (F.col("id") * 37 % 101).cast("double").alias("amount"),
)
records = made.select(F.col("card").alias("key"), F.to_json(F.struct("*")).alias("value"))
records.write.format("kafka").options(**kafka, topic=SOURCE).save()


def payments_of(topic: DataFrame) -> DataFrame:
    """Return the payments with the places of their records; other records are dropped."""
    payment = F.from_json(F.col("value").cast("string"), PAYMENT).alias("payment")
    rows = topic.select("partition", "offset", payment)
    return rows.select("partition", "offset", "payment.*").where("at IS NOT NULL")


def features_of(payments: DataFrame) -> DataFrame:
    """Return the sum of a card's payments in the last five minutes, and its mean large payment."""
    minutes = mt.over("card", "at", range=(timedelta(minutes=-5), timedelta(0)))
    so_far = Window.partitionBy("card").orderBy("at")
    return payments.select(
        "*",
        F.sum("amount").over(minutes).alias("spent"),
        F.count("*").over(minutes).alias("payments"),
        mt.sliding(F.avg("amount"), 3, F.col("amount") > 50).over(so_far).alias("mean"),
    )


# Partitions are not in order with each other, but the payments of each card are.
spark.conf.set("spark.muntin.stream.order", "group")
place = {**kafka, "subscribe": SOURCE, "startingOffsets": "earliest"}
stream = spark.readStream.format("kafka").options(**place, maxOffsetsPerTrigger=100).load()
features = features_of(payments_of(stream))
results = features.select(F.col("card").alias("key"), F.to_json(F.struct("*")).alias("value"))
query = (
    results.writeStream.format("kafka")
    .options(**kafka, topic=TARGET, checkpointLocation=tempfile.mkdtemp())
    .trigger(availableNow=True)  # omit it for a query that runs continuously
    .start()
)
query.awaitTermination()

# A consumer recognizes and drops a repeated record by the place of its source.
topic = spark.read.format("kafka").options(**kafka, subscribe=TARGET).load()
feature = F.from_json(F.col("value").cast("string"), FEATURE).alias("feature")
found = topic.select(feature).select("feature.*").dropDuplicates(["partition", "offset"])
found.orderBy("at").show(5)

expected = features_of(payments_of(spark.read.format("kafka").options(**place).load()))
assert found.exceptAll(expected).isEmpty()
assert expected.exceptAll(found).isEmpty()
print(f"{found.count()} results equal a batch over the topic.")
spark.stop()
