package org.apache.spark.sql.muntin.spark

import scala.collection.mutable
import scala.concurrent.Await
import scala.concurrent.duration.Duration

import org.apache.spark.ShuffleDependency
import org.apache.spark.rdd.RDD

/** The stages that write the shuffles from which an RDD reads. */
object UpstreamStages {

  /**
   * Runs the stages to their end, like adaptive execution: concurrently, each as a separate job.
   * The job that reads `rows` later skips them. Returns false if some of the rows are not from a
   * shuffle: their source runs in the tasks that read it.
   */
  def end(rows: RDD[_]): Boolean = {
    val shuffles = mutable.LinkedHashMap.empty[Int, ShuffleDependency[_, _, _]]
    val visited = mutable.Set.empty[Int]
    def areShuffled(rdd: RDD[_]): Boolean =
      if (!visited.add(rdd.id) || rdd.getNumPartitions == 0) true
      else {
        val parents = rdd.dependencies.map {
          case shuffle: ShuffleDependency[_, _, _] =>
            shuffles(shuffle.shuffleId) = shuffle
            true
          case narrow => areShuffled(narrow.rdd)
        }
        parents.nonEmpty && parents.forall(identity)
      }
    val areAll = areShuffled(rows)
    // Spark does not run a stage without tasks.
    val written = shuffles.values.toList.filter(_.rdd.getNumPartitions > 0)
    val jobs = written.map(shuffle => rows.sparkContext.submitMapStage(shuffle))
    jobs.foreach(Await.result(_, Duration.Inf))
    areAll
  }
}
