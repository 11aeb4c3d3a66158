package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.muntin.execution.split.{GroupReach, ValidRows}
import org.apache.spark.sql.muntin.expressions.{InvalidArgument, KnownStarts, Validity}
import org.apache.spark.sql.types.TimestampType

/** validity: pieces of time, or one window for each row. */
final case class ValiditySpec(window: Validity) extends GroupWindowSpec {
  import window.{byElement, drains, dumpAt, end, start}

  override def ofAllGroups: Option[AggregateFunction] =
    if (byElement) None
    else
      dumpAt match {
        case Some(count) => Some(KnownStarts(start, count))
        case None if !drains => Some(Max(start))
        case None => None
      }

  override def plan(known: Option[Any]): GroupPlan = ValidityPlan(window, known)

  // An interval without an end has a null there, and comes last.
  override def ascending: Seq[Int] = Seq(0)

  override def reach: Option[GroupReach] = Some(ValidRows(start, end, inPieces = !byElement))

  // With 'change' a window comes out when it has ended.
  override def times: Seq[Int] =
    if (start.dataType != TimestampType) Nil else if (byElement) Seq(0) else Seq(1)

  override def begins: Option[Int] =
    Option.when(!byElement && start.dataType == TimestampType)(0)

  override object onStream extends GroupWindowOnStream {
    override def plan(keyed: Boolean): GroupPlan =
      ValidityPlan(window, None, onStream = true, every = dumpAt.filter(_ => !keyed))

    override def marks: Option[Int] = dumpAt

    override def withdraws: Boolean = !byElement

    override def closesAtRows: Boolean = !byElement

    override def repeats: Option[Int] = Option.when(byElement)(0)

    override def check(keys: Seq[Attribute], byArrival: Boolean): Unit =
      dumpAt.foreach { count =>
        if (keys.nonEmpty && byArrival) {
          throw InvalidArgument(
            Validity.name,
            "dump_at",
            s"$count, in a GROUP BY with the key ${keys.head.sql} over a stream by arrival: " +
              "rows are counted over all groups in the order of their starts, and " +
              "each group's rows come in an order of their own. Set " +
              "spark.muntin.stream.order=watermark, or group by validity alone"
          )
        }
      }
  }
}
