package org.apache.spark.sql.muntin.partials

import io.muntin.kernel.sums.ChunkSum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.muntin.aggregates.SparkAggregate
import org.apache.spark.sql.muntin.execution.functions.{
  CountedValues,
  RankStatisticPlans,
  RestoredFrame
}
import org.apache.spark.sql.muntin.partials.PartialLayout.Finalizer

/** The last steps of aggregates: Muntin's own, as in OVER, and Spark's for Spark's buffers. */
private object Finalizers {

  /** Returns the function over typed nulls: its last step does not depend on the source of sums. */
  def overNulls(function: AggregateFunction): AggregateFunction =
    function
      .withNewChildren(function.children.map { child =>
        if (child.foldable) child else Literal(null, child.dataType)
      })
      .asInstanceOf[AggregateFunction]

  /** The stored state is the value. */
  val stored: Finalizer = fields => fields(0).value

  val buffer: Finalizer = fields => fields(0).asInstanceOf[BufferState[_]].result

  /** Returns a last step that reads some of the fields. */
  def some(finalizer: Finalizer, indices: Int*): Finalizer =
    fields => finalizer(indices.map(i => fields(i): FieldState).toArray)

  /** Returns the last step over a count and sums, as the accumulators of the function keep them. */
  def sums(function: AggregateFunction): Finalizer = {
    lazy val restored = new RestoredFrame(overNulls(function))
    fields => {
      val sums = new Array[ChunkSum](fields.length - 1)
      var i = 0
      while (i < sums.length) {
        sums(i) = fields(i + 1).asInstanceOf[SumField].sum
        i += 1
      }
      restored(fields(0).asInstanceOf[CountField].count, sums)
    }
  }

  def ofValues(read: ValuesState => Any): Finalizer =
    fields => read(fields(0).asInstanceOf[ValuesState])

  val countOfValues: Finalizer = ofValues(_.sorted.map(_._2).sum)

  val countOfDistinct: Finalizer = ofValues(_.size.toLong)

  /** As in OVER: the least of several most frequent values, or, with an order, the greatest. */
  def mode(takesGreatest: Boolean): Finalizer = ofValues { values =>
    var best: Any = null
    var times = 0L
    values.sorted.foreach { case (value, n) =>
      if (n > times || (n == times && takesGreatest)) {
        best = value
        times = n
      }
    }
    best
  }

  def ranked(function: AggregateFunction): Finalizer = {
    lazy val read = RankStatisticPlans.evaluator(overNulls(function))
    ofValues(values => read(CountedValues(values.sorted)))
  }

  /**
   * Returns the last step over each of the distinct values, once, for the aggregate of `layouts`.
   */
  def distinct(layouts: Seq[PartialLayout]): Finalizer = {
    val inputs = new Inputs
    ofValues { values =>
      val layout = layouts.head
      val parts = layout.partialFields.map(_.start()).toArray
      values.sorted.foreach { case (value, _) =>
        inputs.x = value
        parts.foreach(_.update(inputs))
      }
      layout.finalizer(parts)
    }
  }

  /**
   * Returns the last step that computes the aggregate over the values of a list, in their order.
   */
  def replayed(function: AggregateFunction): Finalizer = {
    lazy val aggregate = {
      val input = AttributeReference("value", function.children.head.dataType)()
      val applied = function.withNewChildren(function.children.updated(0, input))
      SparkAggregate(applied.asInstanceOf[AggregateFunction], Seq(input))
    }
    fields =>
      aggregate.evaluate(fields(0).asInstanceOf[ListState].values.iterator.map(InternalRow(_)))
  }
}
