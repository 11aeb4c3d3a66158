package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.expressions.common.{InvalidArgument, InvalidRow}
import org.apache.spark.sql.muntin.spark.{MicroBatch, RealTimeMode, StateOfPartition, StatefulExec}

/** Rejects a micro-batch that cannot run, for reasons known only after Spark has planned it. */
private[streaming] object StreamRefusals {
  def apply(operator: StreamWindowsExec): Unit = {
    val function = operator.job.name
    checkProvider(function, operator.conf)
    StatefulExec.repeatingModes(operator.rows).foreach { mode =>
      throw InvalidRow(
        function,
        "outputMode",
        s"$mode, in which the aggregate below gives its rows more than once, each time with " +
          "another value; write with outputMode(\"append\")"
      )
    }
    operator.batch.filter(operator.saysDrained).foreach(checkDrained(function, _))
    operator.batch.filter(_ => operator.isRealTime).foreach(checkRealTime(function, _))
  }

  /** Rejects a physical plan that would hold rows back: the logical plan does not show a sort. */
  private def checkRealTime(function: String, batch: MicroBatch): Unit =
    RealTimeMode.holding(batch.operators) {
      case windows: StreamWindowsExec => windows.isRealTime
      case _: LateRowsExec => true
      case _ => false
    }.foreach { operator =>
      throw InvalidRow(
        function,
        "trigger",
        s"realTime, in a query with ${operator.nodeName}, which does not emit each row as it " +
          "arrives. Join the stream with broadcast(table), or write " +
          "trigger(processingTime=\"1 second\")"
      )
    }

  private def checkProvider(function: String, conf: SQLConf): Unit = {
    val setting = SQLConf.STATE_STORE_PROVIDER_CLASS
    val provider = conf.getConf(setting)
    if (provider != StateOfPartition.Provider) {
      throw InvalidArgument(
        function,
        "state store",
        s"$provider, which the session names, or the checkpoint that the query goes on from; " +
          s"""windows over streams need RocksDB: spark.conf.set("${setting.key}", """ +
          s""""${StateOfPartition.Provider}"), and a checkpoint of the query's own"""
      )
    }
  }

  private def checkDrained(function: String, batch: MicroBatch): Unit = {
    // Only since 4.1 does Spark report a query's trigger at analysis.
    if (!batch.times.isFinite) {
      throw InvalidRow(
        function,
        "drain",
        "true, in a query whose trigger goes on: a stream that goes on has no end at which " +
          "windows that are open could come out. Write trigger(availableNow=True), or leave " +
          "drain out"
      )
    }
    if (!batch.isEnd) {
      StatefulExec.waitingOperators(batch.operators).foreach { operator =>
        throw InvalidRow(
          function,
          "drain",
          s"true, in a query with $operator of Spark's, which keeps its rows at the end: leave " +
            "drain out, or write the windows to a table and read the table"
        )
      }
    }
  }
}
