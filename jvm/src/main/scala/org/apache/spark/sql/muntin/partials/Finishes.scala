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

/** The last steps of aggregates: Muntin's own, as in OVER, and Spark's for Spark's buffers. */
private object Finishes {

  /** The function over typed nulls: its last step does not depend on where sums come from. */
  def overNulls(function: AggregateFunction): AggregateFunction =
    function
      .withNewChildren(function.children.map { child =>
        if (child.foldable) child else Literal(null, child.dataType)
      })
      .asInstanceOf[AggregateFunction]

  object Count extends Finish {
    override def apply(states: Seq[ComponentState]): Any =
      states.head.asInstanceOf[CountState].count
  }

  /** The stored state is the value. */
  object Stored extends Finish {
    override def apply(states: Seq[ComponentState]): Any = states.head.value
  }

  object Buffer extends Finish {
    override def apply(states: Seq[ComponentState]): Any =
      states.head.asInstanceOf[BufferState[_]].result
  }

  /** A finish that reads some of the components. */
  final case class SomeComponents(finish: Finish, indices: Int*) extends Finish {
    override def apply(states: Seq[ComponentState]): Any = finish(indices.map(states))
  }

  /** A count and sums, as the accumulators of the function keep them. */
  final case class Sums(function: AggregateFunction) extends Finish {
    private lazy val restored = new RestoredFrame(overNulls(function))

    override def apply(states: Seq[ComponentState]): Any = {
      val sums = new Array[ChunkSum](states.length - 1)
      var i = 0
      while (i < sums.length) {
        sums(i) = states(i + 1).asInstanceOf[SumState].sum
        i += 1
      }
      restored(states.head.asInstanceOf[CountState].count, sums)
    }
  }

  final case class OfValues(read: ValuesState => Any) extends Finish {
    override def apply(states: Seq[ComponentState]): Any =
      read(states.head.asInstanceOf[ValuesState])
  }

  val CountOfValues: Finish = OfValues(_.sorted.map(_._2).sum)

  val CountOfDistinct: Finish = OfValues(_.size.toLong)

  /** As in OVER: of several most frequent values the least, or, with an order, the greatest. */
  def Mode(takesGreatest: Boolean): Finish = OfValues { values =>
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

  final case class Ranked(function: AggregateFunction) extends Finish {
    private lazy val read = RankStatisticPlans.over(overNulls(function))

    override def apply(states: Seq[ComponentState]): Any =
      read(CountedValues(states.head.asInstanceOf[ValuesState].sorted))
  }

  /** The aggregate over each of the distinct values, once. */
  final case class Distinct(function: AggregateFunction, recipes: Seq[Recipe]) extends Finish {
    private val inputs = new Inputs

    override def apply(states: Seq[ComponentState]): Any = {
      val recipe = recipes.head
      val parts = recipe.components.map(_.start())
      states.head.asInstanceOf[ValuesState].sorted.foreach { case (value, _) =>
        inputs.x = value
        parts.foreach(_.update(inputs))
      }
      recipe.finish(parts)
    }
  }

  /** The aggregate over the values of a list, in their order. */
  final case class Replayed(function: AggregateFunction) extends Finish {
    private lazy val aggregate = {
      val input = AttributeReference("value", function.children.head.dataType)()
      val over = function.withNewChildren(function.children.updated(0, input))
      SparkAggregate(over.asInstanceOf[AggregateFunction], Seq(input))
    }

    override def apply(states: Seq[ComponentState]): Any =
      aggregate.over(states.head.asInstanceOf[ListState].values.iterator.map(InternalRow(_)))
  }
}
