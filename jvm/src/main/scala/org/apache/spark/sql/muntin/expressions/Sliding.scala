package org.apache.spark.sql.muntin.expressions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, WindowSpecDefinition}
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.muntin.expressions.common.{
  Aggregated,
  Arguments,
  Definition,
  Definitions,
  MovingAggregate
}

/**
 * An aggregate of the `size` most recent rows for which `where` is true; see `Sliding.definition`.
 */
final case class Sliding(
    aggregated: Aggregated,
    size: Int,
    where: Option[Expression],
    partial: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends MovingAggregate {
  override def prettyName: String = Sliding.name

  override def ownExpressions: Seq[Expression] = where.toSeq

  override def nullable: Boolean = !partial || super.nullable

  override protected def argumentsSql: Seq[String] =
    s"$size" +: (where.map(_.sql).toSeq ++ (if (partial) Seq("partial => true") else Nil))

  override def update(
      rows: mutable.ArrayBuffer[InternalRow],
      row: InternalRow
  ): mutable.ArrayBuffer[InternalRow] = {
    if (where.forall(_.eval(row) == true)) {
      if (rows.size == size) rows.remove(0): Unit
      rows += row.copy()
    }
    rows
  }

  override def eval(rows: mutable.ArrayBuffer[InternalRow]): Any =
    if (partial || rows.size == size) super.eval(rows) else null

  override protected def withParts(
      aggregated: Aggregated,
      ownExpressions: Seq[Expression]
  ): Sliding =
    copy(aggregated = aggregated, where = ownExpressions.headOption)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)
}

object Sliding extends TimeToLive {
  override def definition: Definition = Definitions.sliding

  override def bringsFrame: Boolean = true

  override protected def moving(
      spec: WindowSpecDefinition
  ): PartialFunction[Seq[Expression], MovingAggregate] = {
    case Seq(agg, n, where, partial, _) =>
      val read = new Arguments(name)
      Sliding(
        Aggregated(read.movable(agg)),
        read.positive("n", n),
        read.condition("where", where),
        read.flag("partial", partial)
      )
  }
}
