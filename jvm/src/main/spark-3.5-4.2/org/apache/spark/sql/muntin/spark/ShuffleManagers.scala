package org.apache.spark.sql.muntin.spark

import org.apache.spark.{ShuffleDependency, SparkEnv}
import org.apache.spark.shuffle.ShuffleManager

/** The shuffle manager; before Spark 4.3 there is one for all shuffles. */
object ShuffleManagers {
  def of(shuffle: ShuffleDependency[_, _, _]): ShuffleManager = {
    require(shuffle != null)
    SparkEnv.get.shuffleManager
  }
}
