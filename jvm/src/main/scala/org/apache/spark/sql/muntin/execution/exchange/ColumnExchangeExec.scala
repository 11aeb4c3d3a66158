package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleOrigin
import org.apache.spark.sql.muntin.spark.PackedExchange

/**
 * Exchanges rows as Spark's own exchange does, to the same partitions and by the same shuffle
 * manager, but column by column: as stripes, which take fewer bytes than rows. If the operator
 * below has columns, no rows are built.
 *
 *     Spark's exchange     columns of a file -> rows -> serialized row by row -> rows
 *     this                 columns of a file -> stripes of each partition -> stripes
 */
case class ColumnExchangeExec(
    override val outputPartitioning: Partitioning,
    child: SparkPlan,
    shuffleOrigin: ShuffleOrigin
) extends PackedExchange[Stripe]
    with SupportsStripes {
  override def nodeName: String = "MuntinExchange"

  override def isStriped: Boolean = true

  @transient private lazy val layout = new Layout(child.output.map(_.dataType))

  override protected lazy val serializer: Serializer =
    new StripeSerializer(layout, longMetric("dataSize"))

  override protected def packed(): RDD[Product2[Int, Stripe]] = {
    val (input, partitioning, ofStripes) = (child.output, outputPartitioning, layout)
    val partitions = numPartitions
    if (child.supportsColumnar) {
      child.executeColumnar().mapPartitionsInternal { batches =>
        new StripesOfBatches(
          batches,
          input.map(_.dataType),
          ofStripes,
          partitions,
          PartitionIds.ofBatches(partitioning, input)
        )
      }
    } else {
      child.execute().mapPartitionsInternal { rows =>
        val partitionOf = PartitionIds.ofRows(partitioning, input)
        new StripesOfRows(rows, ofStripes, partitions, partitionOf)
      }
    }
  }

  override protected def rows: SparkPlan = AcceptsColumnarInput.rows(child)

  override protected def unpack: Iterator[Stripe] => Iterator[InternalRow] = {
    val ofStripes = layout
    stripes => StripeRows.of(ofStripes, stripes)
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ColumnExchangeExec =
    copy(child = newChild)
}

object ColumnExchangeExec {

  /** Returns true if rows can be exchanged in this way. */
  def supports(partitioning: Partitioning): Boolean = PartitionIds.support(partitioning)
}
