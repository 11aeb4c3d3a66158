package org.apache.spark.sql.muntin.spark

import org.apache.spark.{FutureAction, MapOutputStatistics}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** The job that writes a shuffle; before Spark 4.0 it is not used. */
private[spark] object ShuffleJob {
  def begun(shuffle: ShuffleExchangeLike, job: FutureAction[MapOutputStatistics]): Unit =
    require(shuffle != null && job != null)
}
