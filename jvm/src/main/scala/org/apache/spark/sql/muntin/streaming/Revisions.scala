package org.apache.spark.sql.muntin.streaming

import java.util.{ArrayDeque, HashMap => JavaHashMap, LinkedHashMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.Revision
import org.apache.spark.sql.muntin.expressions.common.RowFormatter
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Decides which revisions of one group after the other a micro-batch emits. A group's final results
 * come first, then the results that a copy of the group would emit at the end of the stream. Both
 * are compared with the answers emitted before.
 *
 * {{{
 *   emitted before  [0, 10) 1    [20, 30) 5
 *   begin
 *   last            [0, 5) 1                                  final
 *   early           [5, 10) 2    [20, 30) 6   [30, 40) 1      new, changed, new
 *   end                                                       [0, 10) withdrawn
 * }}}
 *
 * Guarded by RevisedStreamSuite.
 */
private[streaming] final class Revisions(job: StreamJob, policy: RevisionPolicy) {
  private val identity = job.identity
  private val values = UnsafeProjection.create(identity.columns, job.output)
  private val time = identity.time.map { t =>
    (UnsafeProjection.create(Seq(t), identity.columns), new TimeNumber(t.dataType, 0))
  }

  // Adds the revision to a result: its number, its kind and its key.
  private val withRevision = policy.column.map { _ =>
    val width = job.output.size
    UnsafeProjection.create(
      job.output :+ CreateNamedStruct(Seq(
        Literal(Revision.Key),
        BoundReference(width + 2, StringType, nullable = false),
        Literal(Revision.Batch),
        Literal(policy.batch),
        Literal(Revision.Kind),
        BoundReference(width + 1, StringType, nullable = false)
      )),
      job.output
    )
  }
  private val revisionColumns = new SpecificInternalRow(Seq(IntegerType, StringType, StringType))
  private lazy val keys = {
    val number = BoundReference(job.output.size, IntegerType, nullable = false)
    val named = identity.columns.map(a => a.name -> a) ++ time.map(_ => Revision.Number -> number)
    new RevisionKeys(named, job.output)
  }
  private val joined = new JoinedRow
  private lazy val shown = RowFormatter(job.output)

  /** The number of values that identify a result, and the number of its columns. */
  val columns: (Int, Int) = (identity.columns.size, job.output.size)

  /** Returns true if several results may agree in these values. */
  def isNumbered: Boolean = time.isDefined

  private var emitted: EmittedResults = _
  private val counts = new JavaHashMap[UnsafeRow, Int]
  private var now = new LinkedHashMap[ResultId, UnsafeRow]
  private val out = new ArrayDeque[(UnsafeRow, Int, UTF8String)]

  def begin(emitted: EmittedResults): Unit = {
    this.emitted = emitted
    counts.clear()
    counts.putAll(emitted.counts)
    now = new LinkedHashMap
    out.clear()
  }

  /** Adds a final result. Returns the row to emit, or null. */
  def last(result: InternalRow): InternalRow = {
    val row = result.asInstanceOf[UnsafeRow]
    val id = idOf(row)
    val before = emitted.open.remove(id)
    if (policy.column.isEmpty && !policy.isAll && row == before) null
    else revision(row, id.number, Revision.Final)
  }

  /** Adds a result that would be emitted if the stream ended here. */
  def early(result: InternalRow): Unit = {
    val row = result.asInstanceOf[UnsafeRow].copy()
    val id = idOf(row)
    // Only final results stay in `counts`: `end` subtracts early results.
    now.put(id, row)
    val before = emitted.open.get(id)
    if (before != row) {
      val kind = if (before == null) Revision.New else Revision.Changed
      out.add((row, id.number, kind)): Unit
    }
  }

  /** Completes the group: all of its results have been added. */
  def end(): Unit = {
    emitted.counts.clear()
    time.foreach { case (of, number) =>
      now.keySet.forEach(id => counts.merge(id.values, -1, _ + _): Unit)
      counts.values.removeIf(_ == 0): Unit
      // No later result precedes the last final one.
      var last = Long.MinValue
      counts.keySet.forEach(values => last = math.max(last, number.of(of(values))))
      counts.forEach { (values, count) =>
        if (number.of(of(values)) == last) emitted.counts.put(values, count): Unit
      }
    }
    val withdrawals = new ArrayDeque[(UnsafeRow, Int, UTF8String)]
    emitted.open.forEach { (id, row) =>
      if (!now.containsKey(id)) withdrawals.add((row, id.number, Revision.Withdrawn)): Unit
    }
    if (!withdrawals.isEmpty && policy.column.isEmpty) throw withdrawn(withdrawals.peek()._1)
    while (!withdrawals.isEmpty) out.addFirst(withdrawals.removeLast())
    emitted.open = now
  }

  /** Returns the next revision that is not final; null if there is no other. */
  def next(): InternalRow = {
    val found = out.poll()
    if (found == null) null else revision(found._1, found._2, found._3)
  }

  private def idOf(row: UnsafeRow): ResultId = {
    val identifying = values(row).copy()
    val number = if (time.isDefined) counts.merge(identifying, 1, _ + _) - 1 else 0
    ResultId(identifying, number)
  }

  private def revision(row: UnsafeRow, number: Int, kind: UTF8String): InternalRow =
    withRevision.fold[InternalRow](row) { project =>
      revisionColumns.setInt(0, number)
      revisionColumns.update(1, kind)
      val all = joined(row, revisionColumns)
      revisionColumns.update(2, keys.of(all))
      project(all)
    }

  private def withdrawn(row: UnsafeRow): Throwable = new MuntinRuntimeException(
    "MUNTIN_RESULT_WITHDRAWN",
    "function" -> job.name,
    "row" -> shown(row)
  )
}
