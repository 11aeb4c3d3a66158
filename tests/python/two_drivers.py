"""A stream from files to files, for a test with two drivers on one checkpoint.

`python two_drivers.py SOURCE OUT` prints "running" at its start, and the error of the query if it
fails.
"""

from __future__ import annotations

import sys
from pathlib import Path

from micro_batches import WATERMARK, Files
from pyspark.errors import PySparkException
from restarted import session, sums


def main(source: Path, out: Path, *, to_the_end: bool) -> None:
    spark = session()
    spark.conf.set("spark.muntin.stream.lateRows", str(out / "late"))
    stream = Files(source).stream(spark).withWatermark("t", WATERMARK)
    writer = sums(stream).writeStream.format("parquet").option("path", str(out / "rows"))
    writer = writer.option("checkpointLocation", str(out / "checkpoint"))
    try:
        query = (writer.trigger(availableNow=True) if to_the_end else writer).start()
        print("running", flush=True)
        query.awaitTermination()
    except PySparkException as error:
        print(str(error), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), to_the_end=sys.argv[3:] == ["--to-the-end"])
