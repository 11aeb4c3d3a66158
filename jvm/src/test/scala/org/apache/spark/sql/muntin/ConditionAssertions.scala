package org.apache.spark.sql.muntin

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.scalatest.Assertions

/** Assertions about the condition and the parameters of an error. */
trait ConditionAssertions { this: Assertions =>

  protected final def causes(error: Throwable): Seq[Throwable] = ConditionAssertions.causes(error)

  /** Returns the messages of the error and its causes. */
  protected final def messages(error: Throwable): String =
    causes(error).map(_.getMessage).mkString("\n")

  /** Asserts that `query` fails with this condition and these parameters. */
  protected def assertFails(condition: String, parameters: (String, String)*)(
      query: => Any
  ): Unit = assertCondition(intercept[Exception](query), condition, parameters: _*)

  /**
   * Asserts that the error, or one of its causes, has this condition and these parameters. Other
   * parameters may have any value.
   */
  protected def assertCondition(
      error: Throwable,
      condition: String,
      parameters: (String, String)*
  ): Unit = {
    val conditions = causes(error).collect { case e: SparkThrowable => e }
    val matching = conditions.find(_.getCondition == condition)
    assert(matching.isDefined, s"expected $condition, got $error")
    val actual = matching.get.getMessageParameters.asScala
    parameters.foreach { case (name, value) =>
      assert(actual.get(name).contains(value), s"$name of ${matching.get}")
    }
  }
}

object ConditionAssertions {

  /** Returns the error and its causes, outermost first. */
  def causes(error: Throwable): Seq[Throwable] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(20).toSeq
}
