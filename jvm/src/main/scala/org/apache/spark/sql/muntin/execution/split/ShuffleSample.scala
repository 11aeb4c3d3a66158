package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{
  HashPartitioning,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.muntin.spark.WrittenShuffle

/**
 * A sample of the rows that a shuffle has: of `columns` alone, as its stage names them; some of
 * which say whether `conditions` are true.
 */
final class ShuffleSample private (
    val columns: Seq[Attribute],
    conditions: Map[Expression, Int],
    samples: Seq[RowSample],
    partitionOf: Expression
) {

  /** Whether that is true of a row, which is one of those that have been drawn for it. */
  def holds(condition: Expression, row: UnsafeRow): Boolean = {
    val ordinal = conditions(condition.canonicalized)
    !row.isNullAt(ordinal) && row.getBoolean(ordinal)
  }

  private lazy val ofPartitions: Map[Int, Seq[(UnsafeRow, Double)]] = {
    val weighted = for {
      sample <- samples
      weight = sample.count.toDouble / sample.rows.length
      row <- sample.rows
    } yield row -> weight
    weighted.groupBy { case (row, _) => partitionOf.eval(row).asInstanceOf[Int] }
  }

  /** The drawn rows of some partitions, and for how many rows each stands. */
  def rows(partitions: Range): Seq[(UnsafeRow, Double)] =
    partitions.flatMap(ofPartitions.getOrElse(_, Nil))
}

object ShuffleSample {

  /**
   * Whether of these columns a shuffle's sample would tell in which of its partitions each row is.
   */
  def supports(partitioning: Partitioning, columns: Seq[Attribute]): Boolean =
    partitionOf(partitioning).exists(_.references.subsetOf(AttributeSet(columns)))

  /** None where none has been drawn, or not of all of `columns` and `conditions`. */
  def of(
      written: WrittenShuffle,
      columns: AttributeSet,
      conditions: Seq[Expression] = Nil
  ): Option[ShuffleSample] =
    for {
      shuffle <- written.shuffle
      drawn <- Some(shuffle.rows).collect { case sample: MuntinSampleExec => sample }
      ofStage = drawn.columns.map(named(_, drawn, written.plan.output))
      told = ofStage.zipWithIndex.collect { case (Alias(c, _), i) => c.canonicalized -> i }.toMap
      if columns.subsetOf(AttributeSet(ofStage.collect { case a: Attribute => a }))
      if conditions.forall(c => told.contains(c.canonicalized))
      partition <- partitionOf(shuffle.partitioning)
    } yield new ShuffleSample(
      ofStage.map(_.toAttribute),
      told,
      drawn.samples,
      BindReferences.bindReference(partition, drawn.columns.map(_.toAttribute))
    )

  // The stage may be one that is reused under other names.
  private def named(
      column: NamedExpression,
      drawn: MuntinSampleExec,
      output: Seq[Attribute]
  ): NamedExpression = column.transform { case a: Attribute =>
    output(drawn.output.indexWhere(_.exprId == a.exprId))
  }.asInstanceOf[NamedExpression]

  private def partitionOf(partitioning: Partitioning): Option[Expression] = partitioning match {
    case hash: HashPartitioning => Some(hash.partitionIdExpression)
    case SinglePartition => Some(Literal(0))
    case _ => None
  }
}
