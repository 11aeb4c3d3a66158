package org.apache.spark.sql.muntin.expressions

import java.util.Locale

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  GreaterThanOrEqual,
  If,
  Literal,
  RowOrdering,
  UnspecifiedFrame,
  WindowExpression,
  WindowSpecDefinition
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, ImperativeAggregate}
import org.apache.spark.sql.muntin.expressions.common._

/** An aggregate over a modified frame of its OVER clause; see `Framed.definition`. */
final case class Framed(
    aggregated: Aggregated,
    closed: String,
    arrival: Option[Expression],
    exclude: String,
    complete: Boolean,
    groups: Option[GroupsFrame],
    bounds: Option[RowBounds],
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends MovingAggregate {
  import Framed._

  /** Returns true if this end of the frame is inclusive. */
  def closesStart: Boolean = closed == Both || closed == Left
  def closesEnd: Boolean = closed == Both || closed == Right

  /** Returns the changes of the frame, for EXPLAIN. */
  def frameSql: String = {
    val parts = Seq(
      if (closed == Both) None else Some(s"CLOSED $closed"),
      arrival.map(a => s"ARRIVAL ${a.sql}"),
      if (exclude == NoOthers) None else Some(s"EXCLUDE ${exclude.toUpperCase}"),
      if (complete) Some("COMPLETE") else None
    )
    parts.flatten.map(" " + _).mkString
  }

  override def prettyName: String = Framed.name

  override def ownExpressions: Seq[Expression] = arrival.toSeq ++ bounds.toSeq.flatMap(_.offsets)

  override def nullable: Boolean = complete || super.nullable

  override protected def argumentsSql: Seq[String] = Seq(
    if (closed == Both) None else Some(s"closed => '$closed'"),
    arrival.map(a => s"arrival => ${a.sql}"),
    if (exclude == NoOthers) None else Some(s"exclude => '$exclude'"),
    if (complete) Some("complete => true") else None,
    groups.map(g => s"groups => '${g.bounds}'"),
    bounds.map(b => s"${b.kind.toLowerCase(Locale.ROOT)} => '${b.bounds}'")
  ).flatten

  // Not called: Spark's operator does not provide the frame, so only Muntin's operator runs this
  // aggregate.
  override def update(
      rows: mutable.ArrayBuffer[InternalRow],
      row: InternalRow
  ): mutable.ArrayBuffer[InternalRow] =
    throw new UnsupportedOperationException(s"$this only runs in Muntin's operator")

  override protected def withParts(
      aggregated: Aggregated,
      ownExpressions: Seq[Expression]
  ): Framed =
    copy(
      aggregated = aggregated,
      arrival = ownExpressions.take(arrival.size).headOption,
      bounds = bounds.map(_.withOffsets(ownExpressions.drop(arrival.size)))
    )

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)
}

object Framed extends TimeToLive {
  val Both = "both"
  val Left = "left"
  val Right = "right"
  val Neither = "neither"

  val NoOthers = "no others"
  val CurrentRow = "current row"
  val Group = "group"
  val Ties = "ties"

  override def definition: Definition = Definitions.framed

  /** The position of `exclude` among the arguments. */
  val ExcludeAt: Int = definition.parameters.indexWhere(_.name == "exclude")

  /** The position of `groups` among the arguments. */
  val GroupsAt: Int = definition.parameters.indexWhere(_.name == "groups")

  private val MinPeriodsAt = definition.parameters.indexWhere(_.name == "min_periods")

  override def bringsFrame: Boolean = false

  override protected def moving(
      spec: WindowSpecDefinition
  ): PartialFunction[Seq[Expression], MovingAggregate] = framed

  private def framed: PartialFunction[Seq[Expression], Framed] = {
    case Seq(agg, closed, arrival, exclude, complete, groups, _, _) =>
      val read = new Arguments(name)
      Framed(
        Aggregated(read.movable(agg)),
        read.word("closed", closed, Seq(Both, Left, Right, Neither)),
        read.expression(arrival).map(ordering(read, _)),
        read.word("exclude", exclude, Seq(NoOthers, CurrentRow, Group, Ties)),
        read.flag("complete", complete),
        if (isBounds(groups)) None else read.text("groups", groups).map(GroupsFrame.read(read, _)),
        boundsIn(groups).map(_.checked(new Arguments("OVER")))
      )
  }

  // The bounds of an OVER clause with expressions of the row are passed in the argument `groups`.
  private def boundsIn(groups: Expression): Option[RowBounds] = groups match {
    case bounds: RowBounds => Some(bounds)
    case _ => None
  }

  private def isBounds(groups: Expression): Boolean = boundsIn(groups).isDefined

  override def specification(
      call: UnresolvedFunction,
      spec: WindowSpecDefinition
  ): WindowSpecDefinition = {
    val checked = super.specification(call, spec)
    val groups = inOrder(call.arguments)(GroupsAt)
    if (groups != Literal(null) && spec.frameSpecification != UnspecifiedFrame) {
      throw new Arguments(name).error(
        "MUNTIN_FRAME_SPECIFIED_TWICE",
        "clause" -> "GROUPS",
        "argument" -> groups.sql,
        "value" -> FrameText(spec)
      )
    }
    checked
  }

  // The count of the frame's rows runs next to the aggregate: one motion serves both.
  override private[muntin] def result(
      call: WindowExpression,
      arguments: Seq[Expression]
  ): Expression = {
    val read = new Arguments(name)
    val window = withTtl(call, arguments)
    read.expression(arguments(MinPeriodsAt)).map(read.positive("min_periods", _)) match {
      case None => window
      case Some(least) =>
        val whole = framed(arguments)
        val counted = Aggregated(countOf(whole.aggregated), isDistinct = false, None)
        val count = window.copy(windowFunction =
          UnplacedMovingAggregate(
            whole.copy(
              aggregated = counted.copy(filter = whole.aggregated.filter),
              complete = false
            )
          ).toAggregateExpression()
        )
        If(
          GreaterThanOrEqual(count, Literal(least.toLong)),
          window,
          Literal.create(null, window.dataType)
        )
    }
  }

  private def countOf(aggregated: Aggregated): Count =
    aggregated.function.children.filterNot(_.foldable) match {
      case Nil => Count(Literal(1L))
      case values => Count(values)
    }

  private def ordering(read: Arguments, arrival: Expression): Expression = {
    if (!RowOrdering.isOrderable(arrival.dataType)) {
      throw read.invalidType("arrival", arrival, "a type whose values have an order")
    }
    read.row("arrival", arrival)
  }
}
