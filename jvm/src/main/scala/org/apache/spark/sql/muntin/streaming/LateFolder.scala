package org.apache.spark.sql.muntin.streaming

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.muntin.spark.JsonText
import org.apache.spark.util.SerializableConfiguration

/**
 * Writes the rows that an operator drops in a micro-batch, because they are late or out of order,
 * to a folder. Each task that drops rows has a file of JSON lines. If the micro-batch or a task
 * runs again, it writes the same files again.
 *
 * {{{
 *   late/query=6fd4…/batch=7/operator=0/late-at-3.json  {"sensor":"a","at":"2026-01-01T…","x":4.0}
 * }}}
 */
private[streaming] final class LateFolder(path: String, context: SparkContext, timeZone: String)
    extends Serializable {
  private val conf =
    context.broadcast(new SerializableConfiguration(context.hadoopConfiguration))

  /** Deletes, on the driver, the files of an earlier run of the micro-batch. */
  def clear(): Unit = {
    val folder = new Path(path)
    folder.getFileSystem(conf.value.value).delete(folder, true): Unit
  }

  /** Creates the file of a task at the task's first row; `name` is one of the operator's. */
  def file(name: String, columns: Seq[Attribute], task: TaskContext): LateFile = {
    val file = new Path(path, s"late-${URLEncoder.encode(name, UTF_8)}-${task.partitionId()}.json")
    new LateFile(file, conf.value.value, JsonText(columns, timeZone), columns, task)
  }
}

/** Writes rows as lines of JSON, until the task ends. */
private[streaming] final class LateFile(
    file: Path,
    conf: Configuration,
    json: Expression,
    columns: Seq[Attribute],
    task: TaskContext
) {
  private lazy val text = UnsafeProjection.create(Seq(json), columns)
  private lazy val out = {
    val opened = file.getFileSystem(conf).create(file, true)
    task.addTaskCompletionListener[Unit](_ => opened.close())
    opened
  }

  def write(row: InternalRow): Unit = {
    text(row).getUTF8String(0).writeTo(out)
    out.write('\n')
  }
}
