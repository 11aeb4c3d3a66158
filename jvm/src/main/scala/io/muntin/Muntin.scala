package io.muntin

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.muntin.{Registration, ThisJar}

/**
 * Muntin, for Scala and Java. A session that begins with the jar on its class path needs no call.
 */
object Muntin {

  /** The version of this jar. */
  val version: String = ThisJar.VERSION

  /**
   * Brings Muntin into a session that runs already, and returns the session to use from then on: a
   * clone of `spark` with the same settings, temporary views and functions, or `spark` itself where
   * Muntin is active in it.
   *
   * {{{
   *   val spark = Muntin.register(running)
   * }}}
   */
  def register(spark: SparkSession): SparkSession = Registration.register(spark)
}
