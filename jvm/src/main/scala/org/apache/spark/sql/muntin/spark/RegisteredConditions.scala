package org.apache.spark.sql.muntin.spark

import scala.util.control.NonFatal

import org.apache.spark.{ErrorClassesJsonReader, SparkThrowableHelper}
import org.apache.spark.sql.muntin.errors.ErrorConditions

/**
 * Adds Muntin's error conditions to Spark's conditions. Spark reads SQLSTATEs and messages only
 * from its own file. It looks them up for errors that it copies to add a plan, and for PySpark's
 * getMessage. Their names start with MUNTIN_, so lookups of other conditions do not change.
 *
 * Spark does not have an API for it, so a final field is replaced. If this fails, errors keep their
 * text and condition, and copies lack the SQLSTATE.
 */
private[muntin] object RegisteredConditions {
  private lazy val isAdded: Boolean =
    try {
      val reader = SparkThrowableHelper.errorReader
      val own = new ErrorClassesJsonReader(Seq(ErrorConditions.url)).errorInfoMap
      val field = classOf[ErrorClassesJsonReader].getDeclaredField("errorInfoMap")
      field.setAccessible(true)
      field.set(reader, reader.errorInfoMap ++ own)
      true
    } catch { case _: LinkageError | NonFatal(_) => false }

  /** Adds the conditions once per JVM. Returns true if Spark has them. */
  def add(): Boolean = isAdded
}
