package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, RankLike, SortOrder}
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  SessionGap,
  SqlFunction
}

/**
 * The number of the row's session in its partition; see `SessionNumber.definition`. It is a rank:
 * the analyzer sets the order of its OVER clause (`children`), and then the gap is read.
 *
 * @param ofTtl
 *   true if it is a key of a window with a `ttl` (TimeToLive), false if a query calls it
 */
final case class SessionNumber(
    children: Seq[Expression],
    gapOf: Expression,
    read: Option[SessionGap],
    ofTtl: Boolean = false
) extends RankLike {

  /** Returns the gap between sessions, once the order is known. */
  def gap: SessionGap = read.getOrElse(throw new IllegalStateException(s"$sql requires an order"))

  override def withOrder(order: Seq[Expression]): SessionNumber = copy(
    children = order,
    read = read.orElse {
      val sorted = order.map(SortOrder(_, Ascending))
      Some(SessionGap.alongOrder(new Arguments(SessionNumber.name), sorted, gapOf))
    }
  )

  override def prettyName: String = SessionNumber.name

  override def sql: String = s"$prettyName(${gapOf.sql})"

  override def toString: String = sql

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): SessionNumber = copy(children = newChildren)
}

object SessionNumber extends SqlFunction {
  override def definition: Definition = Definitions.sessionNumber

  override protected def build: PartialFunction[Seq[Expression], Expression] = { case Seq(gap) =>
    SessionNumber(Nil, gap, None)
  }
}
