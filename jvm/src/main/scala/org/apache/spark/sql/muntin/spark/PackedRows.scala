package org.apache.spark.sql.muntin.spark

import scala.reflect.ClassTag

import org.apache.spark.{Dependency, Partition, ShuffleDependency, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.shuffle.ShuffleReader
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.{
  CoalescedMapperPartitionSpec,
  CoalescedPartitionSpec,
  PartialMapperPartitionSpec,
  PartialReducerPartitionSpec,
  ShufflePartitionSpec,
  ShuffledRowRDD
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLShuffleReadMetricsReporter}

/**
 * The packs that a shuffle has written, read as adaptive execution plans it: each task reads the
 * part that one of `specs` describes, as in Spark's ShuffledRowRDD.
 */
private[spark] final class PackedRows[P <: Packed: ClassTag](
    dependency: ShuffleDependency[Int, P, P],
    metrics: Map[String, SQLMetric],
    specs: Array[ShufflePartitionSpec]
) extends RDD[P](dependency.rdd.context, Nil) {

  // Only for Spark's preferred locations: used on the driver, never computed.
  @transient private lazy val ofSpark = new ShuffledRowRDD(
    dependency.asInstanceOf[ShuffleDependency[Int, InternalRow, InternalRow]],
    metrics,
    specs
  )

  override def getDependencies: Seq[Dependency[_]] = List(dependency)

  override protected def getPartitions: Array[Partition] =
    Array.tabulate[Partition](specs.length)(i => PackedRows.Read(i, specs(i)))

  override protected def getPreferredLocations(split: Partition): Seq[String] =
    ofSpark.preferredLocations(ofSpark.partitions(split.index))

  override def compute(split: Partition, context: TaskContext): Iterator[P] = {
    val reporter = new PackedRows.Reporter(context, metrics)
    def reader(mappers: Option[Range], from: Int, until: Int): ShuffleReader[Int, P] = {
      val manager = ShuffleManagers.of(dependency)
      val handle = dependency.shuffleHandle
      mappers match {
        case None => manager.getReader[Int, P](handle, from, until, context, reporter)
        case Some(of) =>
          manager.getReader[Int, P](handle, of.start, of.end, from, until, context, reporter)
      }
    }
    reporter.counted(split.asInstanceOf[PackedRows.Read].spec match {
      case CoalescedPartitionSpec(first, end, _) => reader(None, first, end)
      case PartialReducerPartitionSpec(of, first, end, _) =>
        reader(Some(first until end), of, of + 1)
      case PartialMapperPartitionSpec(mapper, first, end) =>
        reader(Some(mapper until mapper + 1), first, end)
      case CoalescedMapperPartitionSpec(first, end, reducers) =>
        reader(Some(first until end), 0, reducers)
    })
  }
}

private[spark] object PackedRows {
  private final case class Read(index: Int, spec: ShufflePartitionSpec) extends Partition

  /** Counts reads as Spark does, except records: it counts rows, not packs. */
  final class Reporter(context: TaskContext, metrics: Map[String, SQLMetric])
      extends SQLShuffleReadMetricsReporter(
        context.taskMetrics().createTempShuffleReadMetrics(),
        metrics
      ) {
    override def incRecordsRead(records: Long): Unit = ()

    /** Returns the packs of a reader, whose rows it counts. */
    def counted[P <: Packed](reader: ShuffleReader[Int, P]): Iterator[P] =
      reader.read().map { record =>
        super.incRecordsRead(record._2.rows.toLong)
        record._2
      }
  }
}

/** The rows of packs, for operators that read rows; other operators read `packs`. */
final class UnpackedRows[P <: Packed: ClassTag](
    read: RDD[P],
    unpack: Iterator[P] => Iterator[InternalRow]
) extends RDD[InternalRow](read) {

  /** The packs, in the same partitions. */
  def packs: RDD[P] = firstParent[P]

  override protected def getPartitions: Array[Partition] = firstParent[P].partitions

  override def compute(split: Partition, context: TaskContext): Iterator[InternalRow] =
    unpack(firstParent[P].iterator(split, context))
}
