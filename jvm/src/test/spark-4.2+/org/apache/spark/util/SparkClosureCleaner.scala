package org.apache.spark.util

import scala.annotation.unused

/**
 * In Spark's place on the class path of the tests. Spark's own unpacks and reads the class that a
 * closure stands in, SparkContext for one, at each job and each operator, to look for `return`,
 * which the compiler refuses here, and serializes the closure a first time: a fifth of a small
 * micro-batch's processor time. A closure that cannot be serialized still fails its query, where
 * the stage is submitted.
 */
private[spark] object SparkClosureCleaner {
  def clean[F](
      closure: F,
      @unused checkSerializable: Boolean = true,
      @unused cleanTransitively: Boolean = true
  ): F = closure
}
