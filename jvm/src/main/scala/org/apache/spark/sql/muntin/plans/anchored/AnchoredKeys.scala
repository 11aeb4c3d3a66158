package org.apache.spark.sql.muntin.plans.anchored

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Expression,
  Literal
}
import org.apache.spark.sql.muntin.plans.logical.AnchoredWindows

/**
 * The keys of window_by over a stream, with a column for the rows of both sides. A stateful
 * operator needs at least one key.
 */
private[anchored] final class AnchoredKeys(windows: AnchoredWindows) {
  val ofAnchors: Seq[Expression] = orAll(windows.anchorKeys)
  val ofSource: Seq[Expression] = orAll(windows.sourceKeys)

  val columns: Seq[AttributeReference] = ofSource.map {
    case a: Attribute => AttributeReference(a.name, a.dataType)()
    case all => AttributeReference("all", all.dataType)()
  }

  private def orAll(keys: Seq[Attribute]): Seq[Expression] =
    if (keys.isEmpty) Seq(Literal(0)) else keys
}
