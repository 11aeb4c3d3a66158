package org.apache.spark.sql.muntin.spark

import org.apache.spark.api.python.{PythonFunction, SimplePythonFunction}
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression, PythonUDAF}
import org.apache.spark.sql.types.{AtomicType, DataType}

/**
 * An aggregate that Python evaluates over all rows of a group at once: its arguments, each with its
 * keyword name, if any. `isPandas`: over pandas' columns, else over Arrow's.
 */
final case class PythonAggregate(
    name: String,
    code: PythonCode,
    dataType: DataType,
    arguments: Seq[(Option[String], Expression)],
    isPandas: Boolean
) {

  /** Returns true if its pickle contains the mark of mt.aggregator or mt.apply. */
  def isMuntins: Boolean = code.command.containsSlice(PythonAggregate.Mark)

  /** Returns true if Spark passes some columns to pandas as DataFrames, which Muntin does not. */
  def hasFrames: Boolean = isPandas && !isMuntins &&
    !(dataType +: arguments.map(_._2.dataType)).forall(_.isInstanceOf[AtomicType])
}

object PythonAggregate {
  private val Mark = "muntin_aggregator".getBytes("UTF-8")

  // Spark's evaluation types. The types for Arrow exist since Spark 4.1.
  private val OverPandas = 202
  private val OverArrow = 252

  def unapply(function: Expression): Option[PythonAggregate] = function match {
    case f: PythonUDAF if f.evalType == OverPandas || f.evalType == OverArrow =>
      val arguments = f.children.map {
        case NamedArgumentExpression(name, value) => (Some(name), value)
        case value => (None, value)
      }
      Some(
        PythonAggregate(
          f.name,
          new PythonCode(f.func),
          f.dataType,
          arguments,
          f.evalType == OverPandas
        )
      )
    case _ => None
  }
}

/** A function in the form that Spark's Python workers receive. */
final class PythonCode(private[spark] val function: PythonFunction) extends Serializable {

  /** The pickle of the function. */
  def command: Array[Byte] = function.command.toArray

  /** Returns true if one worker can run both functions. */
  def sharesWorkerWith(other: PythonCode): Boolean = surroundings == other.surroundings

  private def surroundings: Seq[Any] = Seq(
    function.envVars,
    function.pythonIncludes,
    function.pythonExec,
    function.pythonVer,
    function.broadcastVars
  )

  /** Returns another function for the same worker. */
  def withCommand(command: Array[Byte]): PythonCode =
    new PythonCode(PythonCode.like(function, command))

  override def equals(other: Any): Boolean = other match {
    case code: PythonCode => code.function == function
    case _ => false
  }

  override def hashCode: Int = function.hashCode
}

object PythonCode {
  private def like(function: PythonFunction, command: Array[Byte]): PythonFunction =
    new SimplePythonFunction(
      command,
      function.envVars,
      function.pythonIncludes,
      function.pythonExec,
      function.pythonVer,
      function.broadcastVars,
      function.accumulator
    )
}
