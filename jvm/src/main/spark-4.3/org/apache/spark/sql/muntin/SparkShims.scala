package org.apache.spark.sql.muntin

import org.apache.spark.sql.{SparkSession => AnySession, SparkSessionExtensions}
import org.apache.spark.sql.classic.SparkSession

/** Every call to what Spark changes between its minor versions, as Spark 4.3 has it. */
object SparkShims {

  /** The minor version of Spark that this is for. */
  val minor: String = "4.3"

  /** What Spark hands to the builders of rules is declared wider than what it is. */
  def classicSession(session: AnySession): SparkSession = session.asInstanceOf[SparkSession]

  def extensions(session: SparkSession): SparkSessionExtensions = session.extensions

  /** A session of its own with the same settings, views and functions, and with rules made anew. */
  def cloneSession(session: SparkSession): SparkSession = session.cloneSession()
}
