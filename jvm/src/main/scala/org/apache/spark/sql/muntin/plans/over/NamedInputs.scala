package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Project, Window}
import org.apache.spark.sql.catalyst.util.toPrettySQL

/**
 * Names the columns that Spark computes for an OVER clause by their expressions; Spark numbers them
 * (`_w0`). A checkpoint identifies its query by names, and must distinguish `sum(x * 2)` from
 * `sum(x * 3)`.
 */
private[plans] object NamedInputs {
  def apply(window: Window): Window = {
    val child = window.child match {
      case project @ Project(list, below) if list.exists(isNumbered) =>
        val made = Project(list.map(named), below)
        made.copyTagsFrom(project)
        made
      case other => other
    }
    val names = AttributeMap(child.output.map(a => a -> a.name))
    def renamed[E <: Expression](e: E): E = e.transform {
      case a: AttributeReference if names.get(a).exists(_ != a.name) => a.withName(names(a))
    }.asInstanceOf[E]
    window.copy(
      windowExpressions = window.windowExpressions.map(renamed(_)),
      partitionSpec = window.partitionSpec.map(renamed(_)),
      orderSpec = window.orderSpec.map(renamed(_)),
      child = child
    )
  }

  private def isNumbered(e: NamedExpression): Boolean = e match {
    case a: Alias => a.name.matches("_w[0-9]+")
    case _ => false
  }

  private def named(e: NamedExpression): NamedExpression = e match {
    case a: Alias if isNumbered(a) =>
      val name = toPrettySQL(a.child)
      Alias(a.child, name)(a.exprId, a.qualifier, a.explicitMetadata, a.nonInheritableMetadataKeys)
    case other => other
  }
}
