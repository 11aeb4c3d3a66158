package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{
  HashPartitioning,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, WholeStageCodegenExec}
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

/** A sample of the rows that a shuffle has: of `columns` alone, as its stage names them. */
final class ShuffleSample private (
    val columns: Seq[Attribute],
    samples: Seq[RowSample],
    partitionOf: Expression
) {
  private lazy val ofPartitions: Map[Int, Seq[(UnsafeRow, Double)]] = {
    val weighted = for {
      sample <- samples
      weight = sample.count.toDouble / sample.rows.length
      row <- sample.rows
    } yield row -> weight
    weighted.groupBy { case (row, _) => partitionOf.eval(row).asInstanceOf[Int] }
  }

  /** Those of some of its partitions, and for how many rows each stands. */
  def rows(of: CoalescedPartitionSpec): Seq[(UnsafeRow, Double)] =
    (of.startReducerIndex until of.endReducerIndex).flatMap(ofPartitions.getOrElse(_, Nil))
}

object ShuffleSample {

  /** Whether of these columns a shuffle's sample would tell in which of its partitions each row is. */
  def supports(partitioning: Partitioning, columns: Seq[Attribute]): Boolean =
    partitionOf(partitioning).exists(_.references.subsetOf(AttributeSet(columns)))

  /** None where none has been drawn, or not of all of `columns`. */
  def of(stage: ShuffleQueryStageExec, columns: AttributeSet): Option[ShuffleSample] =
    for {
      exchange <- Some(stage.shuffle).collect { case e: ShuffleExchangeExec => e }
      drawn <- sampleOf(exchange)
      // The stage may be one that is reused under other names.
      named = drawn.columns.map(c => stage.output(drawn.output.indexWhere(_.exprId == c.exprId)))
      if columns.subsetOf(AttributeSet(named))
      partition <- partitionOf(exchange.outputPartitioning)
    } yield new ShuffleSample(
      named,
      drawn.samples,
      BindReferences.bindReference(partition, drawn.columns)
    )

  private def sampleOf(exchange: ShuffleExchangeExec): Option[MuntinSampleExec] =
    exchange.child match {
      case sample: MuntinSampleExec => Some(sample)
      case WholeStageCodegenExec(sample: MuntinSampleExec) => Some(sample)
      case _ => None
    }

  private def partitionOf(partitioning: Partitioning): Option[Expression] = partitioning match {
    case hash: HashPartitioning => Some(hash.partitionIdExpression)
    case SinglePartition => Some(Literal(0))
    case _ => None
  }
}
