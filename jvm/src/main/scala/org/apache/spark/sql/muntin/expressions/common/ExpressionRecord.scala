package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.{Expression, Unevaluable}
import org.apache.spark.sql.types.{DataType, NullType}

/**
 * A group of fields of a plan's node. Spark's rules look for expressions in the fields of a node,
 * in Option and Seq, and below other expressions, but not in other classes. Therefore a record is
 * an expression: its children are the expressions in its own fields.
 */
private[muntin] trait ExpressionRecord extends Expression with Unevaluable {
  @transient final override lazy val children: Seq[Expression] = productIterator.flatMap {
    case field: Expression => Seq(field)
    case Some(field: Expression) => Seq(field)
    case all: Seq[_] => all.collect { case field: Expression => field }
    case _ => Nil
  }.toVector

  final override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): Expression = {
    val next = newChildren.iterator
    makeCopy(productIterator.map[AnyRef] {
      case _: Expression => next.next()
      case Some(_: Expression) => Some(next.next())
      case all: Seq[_] => all.map {
          case _: Expression => next.next()
          case other => other
        }
      case other => other.asInstanceOf[AnyRef]
    }.toArray)
  }

  final override def dataType: DataType = NullType

  final override def nullable: Boolean = false

  /** Returns the fields as EXPLAIN shows the fields of a node. */
  final override def toString: String = productIterator.flatMap {
    case None | Nil => Nil
    case Some(field) => Seq(field)
    case all: Seq[_] => Seq(all.mkString("[", ", ", "]"))
    case field => Seq(field)
  }.mkString(", ")
}
