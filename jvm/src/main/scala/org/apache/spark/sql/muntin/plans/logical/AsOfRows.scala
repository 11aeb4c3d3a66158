package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType, LeftExistence}
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.execution.asof.{AsOfReach, AsOfSide}
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.spark.EqualBytes

/**
 * A join with asof: for each row of `left`, the row of `right` with equal keys whose time `reach`
 * selects. A row of `left` that does not satisfy all of `onLeft` has no match. If `isPlaced`, keys
 * and times are columns. In `right`, no key or time is null, and no time is NaN.
 */
private[plans] final case class AsOfRows(
    left: LogicalPlan,
    right: LogicalPlan,
    joinType: JoinType,
    ofLeft: AsOfSide,
    ofRight: AsOfSide,
    reach: AsOfReach,
    onLeft: Seq[Expression],
    isPlaced: Boolean = false
) extends BinaryNode
    with SupportsFilterPushdown
    with PredicateHelper {
  override def output: Seq[Attribute] = joinType match {
    case LeftExistence(_) => left.output
    case Inner => left.output ++ right.output
    case _ => left.output ++ right.output.map(_.withNullability(true))
  }

  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  // The order in which EXPLAIN shows the arguments.
  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](joinType, ofLeft.time, ofRight.time, reach.start, reach.end) ++
      Iterator(ofLeft.keys, ofRight.keys, onLeft) ++
      Iterator[Any](reach.direction, reach.strict, reach.open, isPlaced)

  override def filtered: AttributeSet = left.outputSet

  /**
   * Applies a condition that only uses keys also to the rows of `right`, which have the same keys.
   */
  override def where(condition: Expression): AsOfRows = {
    val ofKeys = ofLeft.keys.zip(ofRight.keys).collect {
      case (l: Attribute, r) if isOneValue(l) => l.exprId -> r
    }.toMap
    val onRight = splitConjunctivePredicates(condition).filter(isOf(ofKeys.keySet)(_))
      .map(_.transform { case a: Attribute => ofKeys(a.exprId) })
    copy(
      left = Filter(condition, left),
      right = onRight.reduceOption(And(_, _)).fold(right)(Filter(_, right))
    )
  }

  // A condition may distinguish equal values that are not identical, such as 0.0 and -0.0.
  private def isOneValue(key: Attribute): Boolean =
    EqualBytes.areIn(key.dataType) && (NormalizeFloatingNumbers.normalize(key) eq key)

  // A condition that may fail must not be evaluated on rows of the right side without a match.
  private def isOf(keys: Set[ExprId])(condition: Expression): Boolean = condition match {
    case _: BinaryComparison | _: In | _: InSet | _: IsNotNull =>
      condition.references.nonEmpty && condition.children.forall {
        case a: Attribute => keys(a.exprId)
        case other => other.isInstanceOf[Literal]
      }
    case _ => false
  }

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): AsOfRows = copy(left = newLeft, right = newRight)
}
