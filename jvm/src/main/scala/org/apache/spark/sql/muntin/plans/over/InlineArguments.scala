package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.over.OverPlan
import org.apache.spark.sql.types.{DataType, DecimalType}

/**
 * Lets Muntin's operator compute the arguments of its functions. Spark computes each argument in a
 * column below the window, and drops the column above the window. Therefore the exchange and the
 * sort carry the column, and two projections convert columnar batches to rows.
 *
 *     Project [k, t, x, s]                          Window [sum(x * 2) AS s], [k], [t]
 *     +- Window [sum(_w0) AS s], [k], [t]           +- Relation [k, t, x]
 *        +- Project [k, t, x, x * 2 AS _w0]
 *           +- Relation [k, t, x]
 *
 * A column stays in three cases: another node reads it; it takes fewer bytes than its inputs; or it
 * is expensive, because more tasks may run below an exchange than above it.
 */
object InlineArguments extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(MuntinConf.OverEnabled)) plan
    else {
      plan.transformDownWithPruning(_.containsPattern(WINDOW)) { case node =>
        node match {
          case _: Project | _: Aggregate => node.mapChildren(inlined(_, node.references))
          // Other nodes, as writes and UNION, read all columns of a child, and by their position.
          case _ => node
        }
      }
    }

  /** Returns the windows with inlined arguments, given the columns that a node above reads. */
  private def inlined(windows: LogicalPlan, read: => AttributeSet): LogicalPlan =
    down(windows).fold(windows) { case (nodes, project) =>
      val kept = nodes.map(readColumns).foldLeft(read)(_ ++ _)
      val computed = project.projectList.collect {
        case a: Alias if !kept.contains(a.toAttribute) && isCheap(a.child) => a
      }
      val passed = AttributeSet(project.projectList.collect { case a: Attribute => a })
      val free = computed.filter(_.references.subsetOf(passed))
      Seq(computed, free).find(some => some.nonEmpty && isSmaller(some, passed))
        .fold(windows)(some =>
          inside(windows, AttributeMap(some.map(a => a.toAttribute -> a.child)))
        )
    }

  /**
   * Returns the projection that computes columns for windows, and the nodes above it; None if the
   * plan is not windows over a projection.
   */
  private def down(plan: LogicalPlan): Option[(List[LogicalPlan], Project)] = plan match {
    case window: Window =>
      window.child match {
        case project: Project if !isPicking(project) => Some(List(window) -> project)
        case _ => withParents(window)
      }
    case _: Filter => withParents(plan)
    case project: Project if isPicking(project) => withParents(plan)
    case _ => None
  }

  private def withParents(plan: LogicalPlan): Option[(List[LogicalPlan], Project)] =
    down(plan.children.head).map { case (nodes, project) => (plan :: nodes) -> project }

  /** Returns the columns that a node's child must provide. */
  private def readColumns(node: LogicalPlan): AttributeSet = node match {
    case window: Window =>
      val others = window.windowExpressions.filterNot(OverPlan.supports)
      AttributeSet(others ++ window.partitionSpec ++ window.orderSpec)
    case _: Project => AttributeSet.empty
    case other => other.references
  }

  private def inside(plan: LogicalPlan, values: AttributeMap[Expression]): LogicalPlan =
    plan match {
      case window: Window =>
        val functions = window.windowExpressions.map(_.transformUp { case a: Attribute =>
          values.getOrElse(a, a)
        }.asInstanceOf[NamedExpression])
        window.copy(windowExpressions = functions, child = inside(window.child, values))
      case project: Project =>
        val (gone, kept) = project.projectList.partition(e => values.contains(e.toAttribute))
        val read = gone.flatMap(e => values(e.toAttribute).references)
        val list =
          kept ++ AttributeSet(read).filterNot(AttributeSet(kept.map(_.toAttribute)).contains)
        project.copy(list, if (isPicking(project)) inside(project.child, values) else project.child)
      case other => other.mapChildren(inside(_, values))
    }

  private def isPicking(project: Project): Boolean =
    project.projectList.forall(_.isInstanceOf[Attribute])

  /** Returns true if the inputs of the values take no more bytes than the values. */
  private def isSmaller(computed: Seq[Alias], passed: AttributeSet): Boolean = {
    def bytes(columns: Iterable[Attribute]) = columns.map(_.dataType.defaultSize).sum
    bytes(AttributeSet(computed.map(_.child)) -- passed) <= bytes(computed.map(_.toAttribute))
  }

  private def isCheap(value: Expression): Boolean =
    value.deterministic && !SubqueryExpression.hasSubquery(value) && !value.exists(!isLight(_))

  private def isLight(e: Expression): Boolean = e match {
    case _: Attribute => true
    case _: UserDefinedExpression | _: CodegenFallback | _: Unevaluable => false
    case _: BinaryComparison | _: In | _: InSet | _: IsNull | _: IsNotNull => true
    case _: CaseWhen | _: If | _: Coalesce => true
    case other => other.foldable || (other +: other.children).forall { part =>
        part.foldable || isOfFixedSize(part.dataType)
      }
  }

  private def isOfFixedSize(dataType: DataType): Boolean =
    UnsafeRow.isFixedLength(dataType) || dataType.isInstanceOf[DecimalType]
}
