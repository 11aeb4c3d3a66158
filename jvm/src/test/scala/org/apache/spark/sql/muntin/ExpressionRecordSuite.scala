package org.apache.spark.sql.muntin

import io.muntin.kernel.MuntinSuite

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.muntin.execution.anchored.AnchorBounds
import org.apache.spark.sql.muntin.expressions.common.ExpressionRecord
import org.apache.spark.sql.muntin.plans.logical.AnchoredWindows
import org.apache.spark.sql.muntin.streaming.AnchorTimes
import org.apache.spark.sql.types.{IntegerType, TimestampType}

private final case class Fields(
    all: Seq[Expression],
    one: Expression,
    some: Option[Expression],
    none: Option[Expression],
    names: Seq[String],
    empty: Seq[Expression],
    size: Option[Long],
    isSet: Boolean
) extends ExpressionRecord

/** Spark's rules handle the expressions in a record like expressions of the node. */
class ExpressionRecordSuite extends MuntinSuite {
  private def column(name: String): Attribute = AttributeReference(name, IntegerType)()
  private def time(name: String): Attribute = AttributeReference(name, TimestampType)()

  private val (k, l, n) = (column("k"), column("l"), column("n"))
  private val (t, lo, hi) = (time("t"), time("lo"), time("hi"))
  private val (due, at) = (time("due"), time("at"))

  private val windows = AnchoredWindows(
    Seq(k),
    Seq(l),
    AnchorBounds(t, lo, hi, "left"),
    Nil,
    Nil,
    LocalRelation(k, lo, hi, due, at),
    LocalRelation(l, t),
    Some(AnchorTimes(due, None, Some(at), Some(5L), isOrdered = true, None))
  )

  test("fields of all kinds keep their places if the expressions change") {
    val record = Fields(Seq(k, l), n, Some(k), None, Seq("a"), Nil, Some(7L), isSet = true)
    assert(record.children === Seq(k, l, n, k) && record.resolved)
    val changed = record.transformUp {
      case a: Attribute if a.exprId == k.exprId => Add(a, Literal(1))
    }
    val more = Add(k, Literal(1))
    assert(changed ===
      Fields(Seq(more, l), n, Some(more), None, Seq("a"), Nil, Some(7L), isSet = true))
    assert(record.toString === s"[$k, $l], $n, $k, [a], 7, true")
  }

  test("columns in the records of a node are renamed, and are its references") {
    val columns = Seq(k, l, t, lo, hi, due, at)
    assert(windows.references === AttributeSet(columns))
    val renamed = AttributeMap(columns.map(a => a -> a.newInstance()))
    val changed = windows.transformExpressions { case a: Attribute => renamed(a) }
    assert(changed.bounds === AnchorBounds(renamed(t), renamed(lo), renamed(hi), "left"))
    assert(changed.onStream ===
      Some(AnchorTimes(renamed(due), None, Some(renamed(at)), Some(5L), isOrdered = true, None)))
    assert(windows.simpleString(25).endsWith(s"$t, $lo, $hi, left, $due, $at, 5, true"))
  }

  test("nodes are equal if their records are equal, except for the ids of columns") {
    val columns = windows.left.output ++ windows.right.output
    val renamed = AttributeMap(columns.map(a => a -> a.newInstance()))
    val same = windows.transformExpressions { case a: Attribute => renamed(a) }.copy(
      left = LocalRelation(windows.left.output.map(renamed)),
      right = LocalRelation(windows.right.output.map(renamed))
    )
    assert(same.sameResult(windows) && same.semanticHash() === windows.semanticHash())
    def bounds = windows.bounds
    val others = Seq(
      windows.copy(bounds = bounds.copy(closed = "both")),
      windows.copy(bounds = bounds.copy(start = hi, end = lo)),
      windows.copy(onStream = windows.onStream.map(_.copy(promised = Some(due)))),
      windows.copy(onStream = windows.onStream.map(_.copy(delay = Some(6L))))
    )
    others.foreach(other => assert(!other.sameResult(windows), other))
  }
}
