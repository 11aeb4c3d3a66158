package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{
  HashPartitioning,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.muntin.spark.WrittenShuffle

/**
 * A sample of a shuffle's rows: only of `columns`, under the names of the shuffle's stage. Some
 * columns contain whether `conditions` are true.
 */
final class ShuffleSample private (
    val columns: Seq[Attribute],
    conditions: Map[Expression, Int],
    samples: Seq[RowSample],
    partitionOf: Expression
) {

  /** Returns true if a condition is true for a row of the sample. */
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

  /**
   * Returns the sampled rows of some partitions, each with the number of rows that it represents.
   */
  def rows(partitions: Range): Seq[(UnsafeRow, Double)] =
    partitions.flatMap(ofPartitions.getOrElse(_, Nil))
}

object ShuffleSample {

  /** Returns true if `columns` determine the shuffle partition of each row. */
  def supports(partitioning: Partitioning, columns: Seq[Attribute]): Boolean =
    partitionOf(partitioning).exists(_.references.subsetOf(AttributeSet(columns)))

  /**
   * Returns the sample of a stage's rows; None without a sample of all `columns` and `conditions`.
   */
  def of(
      written: WrittenShuffle,
      columns: AttributeSet,
      conditions: Seq[Expression] = Nil
  ): Option[ShuffleSample] =
    for {
      shuffle <- written.shuffle
      sampler <- Some(shuffle.rows).collect { case sample: MuntinSampleExec => sample }
      ofStage = sampler.columns.map(named(_, sampler, written.plan.output))
      sampled = ofStage.zipWithIndex.collect { case (Alias(c, _), i) => c.canonicalized -> i }.toMap
      if columns.subsetOf(AttributeSet(ofStage.collect { case a: Attribute => a }))
      if conditions.forall(c => sampled.contains(c.canonicalized))
      partition <- partitionOf(shuffle.partitioning)
    } yield new ShuffleSample(
      ofStage.map(_.toAttribute),
      sampled,
      sampler.samples,
      BindReferences.bindReference(partition, sampler.columns.map(_.toAttribute))
    )

  // The stage may reuse another stage's shuffle, under other names.
  private def named(
      column: NamedExpression,
      sampler: MuntinSampleExec,
      output: Seq[Attribute]
  ): NamedExpression = column.transform { case a: Attribute =>
    output(sampler.output.indexWhere(_.exprId == a.exprId))
  }.asInstanceOf[NamedExpression]

  private def partitionOf(partitioning: Partitioning): Option[Expression] = partitioning match {
    case hash: HashPartitioning => Some(hash.partitionIdExpression)
    case SinglePartition => Some(Literal(0))
    case _ => None
  }
}
