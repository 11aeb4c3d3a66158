package org.apache.spark.sql.muntin.spark

import java.util.UUID

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{BinaryExecNode, LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.types.{BinaryType, StructField, StructType}

/** A Muntin operator with state: it is never planned on Spark 3.5. */
abstract class StatefulExec extends BinaryExecNode {
  def batch: Option[MicroBatch]

  def rows: SparkPlan

  def marksPlan: SparkPlan

  def shortName: String

  def shouldRunAnotherBatch(newInputWatermark: Long): Boolean

  def produceOutputWatermark(inputWatermarkMs: Long): Option[Long]

  protected def keys: Seq[Attribute]

  protected def isSingle: Boolean

  protected def withBatch(
      batch: Option[MicroBatch],
      rows: SparkPlan,
      marksPlan: SparkPlan
  ): StatefulExec

  protected def families: Seq[StatefulExec.Family]

  protected def counts: Seq[(String, String)]

  protected def properties: Seq[(String, String)]

  protected def droppedBelow: Long

  private[muntin] final def title: String = Streams.unsupported

  private[muntin] final def storedProperties: Map[String, String] = Streams.unsupported

  private[muntin] final def number: Long = Streams.unsupported

  private[muntin] final def partitions: Int = Streams.unsupported

  override final def left: SparkPlan = rows

  override final def right: SparkPlan = marksPlan

  override protected final def withNewChildrenInternal(
      newRows: SparkPlan,
      newMarksPlan: SparkPlan
  ): SparkPlan = withBatch(batch, newRows, newMarksPlan)

  protected final def mapWithState[R: ClassTag, T: ClassTag](rows: RDD[R])(
      run: (StateOfPartition, Iterator[R]) => Iterator[T]
  ): RDD[T] = Streams.unsupported

  protected final def run: UUID = Streams.unsupported

  protected final def measure(state: StateOfPartition, entries: Long): Unit = Streams.unsupported
}

object StatefulExec {

  /** A column family of the state. */
  final case class Family private (name: String, key: StructType)

  object Family {
    def plain(name: String, key: StructType): Family = new Family(name, key)

    def ordered(name: String, key: StructType): Family = new Family(name, key)
  }

  val OutputMode: (String, String) = "output mode" -> "update"

  val HeldBackAbove: (String, String) = "time above" -> "held back to the oldest row that waits"

  val Value: StructType =
    StructType(Seq(StructField("value", BinaryType, nullable = false)))

  def repeatingModes(plan: SparkPlan): Seq[String] = Streams.unsupported

  def waitingOperators(plan: SparkPlan): Seq[String] = Streams.unsupported

  def noMarksPlan: SparkPlan = LocalTableScanExec(Nil, Nil)

  def unplaced(rows: SparkPlan): SparkPlan = Streams.unsupported
}
