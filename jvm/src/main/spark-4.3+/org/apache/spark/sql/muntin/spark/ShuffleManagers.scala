package org.apache.spark.sql.muntin.spark

import org.apache.spark.{ShuffleDependency, SparkEnv}
import org.apache.spark.shuffle.ShuffleManager

/** The shuffle managers; since Spark 4.3 there may be several. */
object ShuffleManagers {
  def of(shuffle: ShuffleDependency[_, _, _]): ShuffleManager =
    SparkEnv.get.shuffleManagerFor(shuffle)
}
