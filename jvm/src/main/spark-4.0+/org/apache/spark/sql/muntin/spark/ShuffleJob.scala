package org.apache.spark.sql.muntin.spark

import org.apache.spark.{FutureAction, MapOutputStatistics}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/**
 * The job that writes a shuffle; since Spark 4.0, the shuffle has a reference to it, to cancel it.
 */
private[spark] object ShuffleJob {
  def begun(shuffle: ShuffleExchangeLike, job: FutureAction[MapOutputStatistics]): Unit =
    shuffle.futureAction.set(Some(job))
}
