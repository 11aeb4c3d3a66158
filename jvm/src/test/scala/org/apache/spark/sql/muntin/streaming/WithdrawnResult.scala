package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{IntegerType, TimestampType}

/**
 * A group in output mode update whose second micro-batch does not have a result of the first. The
 * rules reject queries with such windows, so only this job has them.
 */
object WithdrawnResult {
  private val result = AttributeReference("n", IntegerType)()
  private val at = AttributeReference("at", TimestampType)()

  private object Job extends StreamJob {
    override def name: String = "field_window"
    override def keys: Seq[Attribute] = Nil
    override def time: Attribute = at
    override def order: Seq[SortOrder] = Seq(SortOrder(at, Ascending))
    override def input: Seq[Attribute] = Seq(at)
    override def output: Seq[Attribute] = Seq(result)
    override def retainedColumns: Seq[Attribute] = Nil
    override def resultIdentity: Option[ResultIdentity] = Some(ResultIdentity(output, None))
    override def fingerprint: Seq[(String, String)] = Nil
    override def delay: Option[Long] = None
    override def kernels(): StreamJob.Kernels = throw new UnsupportedOperationException
  }

  /** Fails, because no column reports that the result is withdrawn. */
  def emit(): Unit = {
    val revising = RevisionPolicy(column = None, isEarly = true, batch = 0L, isAll = false)
    val revisions = new Revisions(Job, revising)
    val emitted = new EmittedResults
    revisions.begin(emitted)
    revisions.early(UnsafeProjection.create(Job.output, Job.output)(InternalRow(7)))
    revisions.end()
    revisions.begin(emitted)
    revisions.end()
  }
}
