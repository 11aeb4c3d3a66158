package io.muntin

import scala.io.Source
import scala.util.Using

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.muntin.Registration

/** Muntin, for Scala and Java. A session that begins with the jar on its class path needs no call. */
object Muntin {

  /** The version of this jar. */
  val version: String =
    Using.resource(getClass.getResourceAsStream("version"))(Source.fromInputStream(_).mkString)

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
