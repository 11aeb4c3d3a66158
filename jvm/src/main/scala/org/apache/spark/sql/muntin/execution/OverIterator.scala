package org.apache.spark.sql.muntin.execution

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.{StructField, StructType}

/** What an iterator of the operator reports. */
final case class OverMetrics(outputRows: SQLMetric, spillSize: SQLMetric, peakMemory: SQLMetric)

/**
 * Streams the sorted rows of one task through the kernels: a row goes out as soon as its frames are
 * complete. Rows whose frames look back only are never kept; others wait in a delay line.
 */
final class OverIterator(
    input: Iterator[InternalRow],
    plan: OverPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    metrics: OverMetrics
) extends Iterator[InternalRow] {
  private val context = TaskContext.get()
  private val memory = new TaskMemory(context.taskMemoryManager())
  private val kernel = new OverKernel(plan, orderSpec, childOutput, memory)
  private val delay =
    if (kernel.isImmediate) null
    else new DelayLine(context.taskMemoryManager(), memory, childOutput.size)
  private val results = OverResults(plan, windowExpression, childOutput)
  private val partitions = new PartitionChanges(partitionSpec, childOutput)

  // The next row of the input, not yet given to the kernel; null when there is none.
  private var nextRow: UnsafeRow = _
  private var ended = true
  private var written = 0L

  context.addTaskCompletionListener[Unit](_ => close())
  fetch()

  override def hasNext: Boolean = nextRow != null || kernel.hasPending

  override def next(): InternalRow = {
    written += 1
    // The input may be read to its end by now, and nobody else would look.
    if ((written & 0x3ff) == 0) context.killTaskIfInterrupted()
    metrics.outputRows += 1
    if (delay == null) nextImmediate() else nextDelayed()
  }

  private def nextImmediate(): InternalRow = {
    if (nextRow == null) throw new NoSuchElementException
    if (partitions.isNew(nextRow)) kernel.startPartition()
    kernel.arrive(nextRow)
    kernel.isReady(ended = false)
    kernel.advance(results.target)
    val out = results.join(nextRow)
    // Only now: the input may reuse the row, which the result has copied.
    fetch()
    out
  }

  private def nextDelayed(): InternalRow = {
    while (!(kernel.hasPending && kernel.isReady(ended))) {
      if (ended) {
        if (nextRow == null) throw new NoSuchElementException
        partitions.isNew(nextRow): Unit
        kernel.startPartition()
        ended = false
      }
      kernel.arrive(nextRow)
      delay.add(nextRow)
      fetch()
      ended = nextRow == null || partitions.isNew(nextRow)
    }
    kernel.advance(results.target)
    results.join(delay.remove())
  }

  private def fetch(): Unit =
    nextRow = if (input.hasNext) input.next().asInstanceOf[UnsafeRow] else null

  private def close(): Unit = {
    metrics.peakMemory.set(memory.peakBytes + (if (delay == null) 0L else delay.peakBytes))
    if (delay != null) {
      metrics.spillSize += delay.spilledBytes
      delay.close()
    }
    memory.releaseAll()
  }
}

/** Tells where one partition of the sorted rows ends and the next begins. */
private final class PartitionChanges(partitionSpec: Seq[Expression], childOutput: Seq[Attribute]) {
  private val key = UnsafeProjection.create(partitionSpec, childOutput)
  private val binary = partitionSpec.forall(e => UnsafeRowUtils.isBinaryStable(e.dataType))
  private val order = InterpretedOrdering.forSchema(partitionSpec.map(_.dataType))
  private var current: UnsafeRow = _

  /** Whether the row is the first of another partition than the last row that was asked about. */
  def isNew(row: UnsafeRow): Boolean = {
    val next = key(row)
    val same = current != null &&
      (if (binary) next.equals(current) else order.compare(next, current) == 0)
    if (!same) current = next.copy()
    !same
  }
}

/** Joins an input row with the results of its window functions. */
abstract class OverResults {

  /** Where the functions write; fields keep their values from row to row. */
  def target: InternalRow

  /** The output row; valid until the next call. */
  def join(row: UnsafeRow): UnsafeRow
}

object OverResults {
  def apply(
      plan: OverPlan,
      windowExpression: Seq[NamedExpression],
      childOutput: Seq[Attribute]
  ): OverResults = {
    val bare = windowExpression.map {
      case Alias(w: WindowExpression, _) => plan.functions.indexWhere(_.window == w)
      case _ => -1
    }
    if (bare == plan.functions.indices) new Joined(plan, childOutput)
    else new Projected(plan, windowExpression, childOutput)
  }

  private def row(plan: OverPlan): InternalRow =
    new SpecificInternalRow(plan.functions.map(_.dataType))

  /** The results side by side, behind the row. */
  private final class Joined(plan: OverPlan, childOutput: Seq[Attribute]) extends OverResults {
    private val types = plan.functions.map(_.dataType)
    private val schema =
      StructType(types.zipWithIndex.map { case (t, i) => StructField(i.toString, t) })
    private val joiner =
      GenerateUnsafeRowJoiner.create(DataTypeUtils.fromAttributes(childOutput), schema)
    private val fixed = types.forall(t => UnsafeRow.isFixedLength(t))
    private val projection = if (fixed) null else UnsafeProjection.create(types.toArray)

    override val target: InternalRow =
      if (fixed) UnsafeRow.createFromByteArray(fixedSize(types.size), types.size) else row(plan)

    override def join(input: UnsafeRow): UnsafeRow =
      joiner.join(input, if (fixed) target.asInstanceOf[UnsafeRow] else projection(target))

    private def fixedSize(fields: Int): Int =
      UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
  }

  /** Results inside expressions: computed from row and results together, as Spark does. */
  private final class Projected(
      plan: OverPlan,
      windowExpression: Seq[NamedExpression],
      childOutput: Seq[Attribute]
  ) extends OverResults {
    private val references = plan.functions.map { f =>
      (f.window: Expression) ->
        BoundReference(childOutput.size + f.ordinal, f.dataType, f.window.nullable)
    }.toMap
    private val projection = UnsafeProjection.create(
      childOutput ++ windowExpression.map(_.transform {
        case w: WindowExpression => references(w)
      }),
      childOutput
    )
    private val joined = new JoinedRow

    override val target: InternalRow = row(plan)

    override def join(input: UnsafeRow): UnsafeRow = projection(joined(input, target))
  }
}
