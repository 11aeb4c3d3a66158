package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

/**
 * Determines which functions of an operator the state of another operator can continue. The columns
 * of both have the same ids; `derived` are the columns that the state determines.
 */
private[streaming] abstract class ChangedFunctions(
    before: StreamJob,
    after: StreamJob,
    derived: AttributeMap[Expression]
) {
  import ChangeAction._
  import ChangedFunctions._

  /** Returns the functions before the change, with their ordinals. */
  protected def former: Seq[(String, Int)]

  /** Returns the functions of the changed query, with their ordinals and what becomes of them. */
  protected def changed: Seq[(String, Int, Change)]

  /** Returns true if rows that wait have their order, and all columns that the state needs. */
  def isConvertible: Boolean = after.order.flatMap(_.references).forall(isSame)

  /** Returns the columns that rows which wait lack. */
  def missingColumns: Seq[Attribute] =
    after.input.filterNot(a => derived.contains(a) || isInInput(a))

  private lazy val ofFunctions: Seq[(String, Int, Decided)] = {
    val found = changed
    lazy val kernel = after.kernels().make(Memory.Unlimited)
    lazy val continued = found.collect {
      case (function, ordinal, Same) if isKnown(function) => ordinal
    }.flatMap(kernel.accumulators(_))
    // Functions share accumulators. If some continue and others begin without rows, a result would
    // be neither of all rows nor of the new rows.
    def withoutState(ordinal: Int, reason: String): Decided = {
      val (shared, own) =
        kernel.accumulators(ordinal).partition(each => continued.exists(_ eq each))
      if (own.isEmpty) Same
      else if (shared.isEmpty) restarts(reason)
      else needsHistory(reason)
    }
    found.map {
      case (function, ordinal, decided: Decided) => (function, ordinal, decided)
      case (function, ordinal, Stateless(reason)) =>
        (function, ordinal, withoutState(ordinal, reason))
    }
  }
  private lazy val ordinals = former.toMap

  protected final def isKnown(function: String): Boolean = ordinals.contains(function)

  /**
   * Returns the ordinals of the functions that continue with their own state, in the changed query
   * and in the query before the change.
   */
  final lazy val continuing: Map[Int, Int] = ofFunctions.collect {
    case (function, ordinal, Same) if isKnown(function) => ordinal -> ordinals(function)
  }.toMap

  final def changes: Seq[(String, ChangeAction, Option[String])] = {
    val names = ofFunctions.map(_._1).toSet
    ofFunctions.map { case (function, _, change) => (function, change.action, change.reason) } ++
      former.map(_._1).filterNot(names).map((_, IsDropped, None))
  }

  private val stored = {
    val columns = AttributeSet(before.keys ++ before.retainedColumns)
    columns ++ AttributeSet(derived.collect {
      case (column, definition) if definition.references.subsetOf(columns) => column
    })
  }

  private def isInInput(column: Attribute): Boolean =
    before.input.exists(_.exprId == column.exprId)

  /** Returns true if the state has the column with its type. */
  protected final def isSame(column: Attribute): Boolean =
    isInInput(column) || derived.get(column).exists(_.isInstanceOf[Attribute])

  protected final def missing(columns: AttributeSet): Seq[Attribute] =
    columns.filterNot(stored.contains).toSeq

  /** Returns the columns that have another type in the state. */
  protected final def ofOtherType(columns: AttributeSet): Seq[Attribute] =
    columns.filter(derived.get(_).exists(!_.isInstanceOf[Attribute])).toSeq
}

private[streaming] object ChangedFunctions {
  import ChangeAction._

  /** What becomes of a function. */
  sealed abstract class Change

  final case class Decided(action: ChangeAction, reason: Option[String]) extends Change

  /** The state does not have the function's accumulators, unless other functions have them. */
  final case class Stateless(reason: String) extends Change

  val Same: Decided = Decided(Continues, None)

  def restarts(reason: String): Decided = Decided(Restarts, Some(reason))

  def needsHistory(reason: String): Decided = Decided(NeedsHistory, Some(reason))

  def hadOtherType(columns: Seq[Attribute]): String = s"${shown(columns)} had another type"

  /** Returns what becomes of a function of columns that the rows of the checkpoint lack. */
  def lacking(missing: Seq[Attribute], ignoresNulls: Boolean): Change = {
    val reason = s"rows in the checkpoint lack ${shown(missing)}"
    if (missing.exists(!_.nullable)) needsHistory(s"$reason, which is not nullable")
    else if (ignoresNulls) restarts(reason)
    else needsHistory(reason)
  }

  /** Returns true if results are the same without the rows in which columns are null. */
  def ignoresNulls(function: AggregateFunction, filter: Option[Expression]): Boolean =
    filter.forall(isDirect) && function.children.forall(isDirect) && (function match {
      case _: Sum | _: Average | _: Min | _: Max | _: Count | _: CentralMomentAgg => true
      case _ => false
    })

  private def isDirect(e: Expression): Boolean = e match {
    case _: Attribute => true
    case other => other.foldable
  }

  private def shown(columns: Seq[Attribute]): String =
    columns.map(a => s"`${a.name}`").mkString(", ")
}
