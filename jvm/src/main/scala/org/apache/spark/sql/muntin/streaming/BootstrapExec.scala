package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.execution.rows.CommandExec
import org.apache.spark.sql.muntin.spark.{HistoryBatch, MuntinAnalysisException}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Makes a checkpoint of a streaming query from a table for each source, and writes the results that
 * are final. With `after`, the query then continues where the query of that checkpoint has stopped.
 * Emits one row. If it fails, it deletes the folder.
 */
case class BootstrapExec(
    @transient query: LogicalPlan,
    @transient histories: Seq[LogicalPlan],
    checkpoint: String,
    after: Option[String],
    output: Seq[Attribute]
) extends CommandExec {
  override def nodeName: String = "MuntinBootstrap"

  override protected def compute(): Seq[InternalRow] = {
    val from = after.map(CheckpointFolder.stored(session, _))
    val batch = new HistoryBatch(session, query, histories, checkpoint, from)
    new CheckpointRequirements("bootstrap", checkpoint).requireFree(checkpoint, batch.isFree)
    for (folder <- after; stored <- from) {
      val required = new CheckpointRequirements("bootstrap", folder)
      required.requireUnused(stored)
      required.requireSources(stored, batch.sources.size)
    }
    checkColumns(batch.sourceColumns)
    batch.orDelete {
      batch.otherOperator.foreach { operator =>
        throw error("MUNTIN_BOOTSTRAP_WITH_STATEFUL_OPERATOR", "operator" -> operator)
      }
      val results = s"$checkpoint/bootstrap"
      val rows = batch.run(results)
      Seq(InternalRow(
        UTF8String.fromString(results),
        rows,
        if (batch.watermark == 0L) null else batch.watermark * 1000L
      ))
    }
  }

  private def checkColumns(sources: Seq[Seq[Attribute]]): Unit = {
    if (sources.size != histories.size) {
      throw error(
        "MUNTIN_BOOTSTRAP_HISTORIES",
        "sources" -> sources.size.toString,
        "histories" -> histories.size.toString
      )
    }
    for ((source, history) <- sources.zip(histories); column <- source)
      history.output.find(_.name == column.name).map(_.dataType) match {
        case Some(same) if same == column.dataType =>
        case found =>
          throw error(
            "MUNTIN_BOOTSTRAP_COLUMN",
            "column" -> column.name,
            "type" -> column.dataType.sql,
            "found" -> found.fold("no such column")(_.sql)
          )
      }
  }

  private def error(condition: String, parameters: (String, String)*): MuntinAnalysisException =
    new MuntinAnalysisException(condition, parameters: _*)

  override def simpleString(maxFields: Int): String = s"$nodeName $checkpoint"
}
