package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._

/**
 * An equality in the condition of a join, as pairs of keys that are equal only if they are not
 * null. Null-safe equality of two keys that may both be null becomes two pairs, as in Spark's own
 * joins:
 *
 *     l = r      l, r
 *     l <=> r    coalesce(l, default), coalesce(r, default)
 *                l IS NULL, r IS NULL
 */
private[plans] object KeyEquality {
  type Pairs = Seq[(Expression, Expression)]

  def unapply(condition: Expression): Option[Pairs] = condition match {
    case EqualTo(l, r) => Some(Seq((l, r)))
    case EqualNullSafe(l, r) if !l.nullable || !r.nullable => Some(Seq((l, r)))
    case EqualNullSafe(l, r) => Some(Seq((present(l), present(r)), (IsNull(l), IsNull(r))))
    case _ => None
  }

  private def present(key: Expression): Expression =
    Coalesce(Seq(key, Literal.default(key.dataType)))

  /** Returns the pairs, left keys first; None if a key refers to both sides. */
  def between(
      condition: Expression,
      isOfLeft: Expression => Boolean,
      isOfRight: Expression => Boolean
  ): Option[Pairs] = condition match {
    case KeyEquality(pairs) if pairs.forall { case (l, r) => isOfLeft(l) && isOfRight(r) } =>
      Some(pairs)
    case KeyEquality(pairs) if pairs.forall { case (r, l) => isOfLeft(l) && isOfRight(r) } =>
      Some(pairs.map(_.swap))
    case _ => None
  }
}
