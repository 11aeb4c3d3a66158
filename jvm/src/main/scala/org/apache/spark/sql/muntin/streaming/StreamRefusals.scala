package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.{
  MicroBatch,
  MuntinAnalysisException,
  MuntinRuntimeException,
  RealTimeMode,
  StateOfPartition,
  StatefulExec
}

/** Rejects a micro-batch that cannot run, for reasons known only after Spark has planned it. */
private[streaming] object StreamRefusals {
  def apply(operator: StreamWindowsExec): Unit = {
    val function = operator.job.name
    checkProvider(function, operator.conf)
    StatefulExec.repeatingModes(operator.rows).foreach { mode =>
      throw new MuntinRuntimeException(
        "MUNTIN_REPEATED_ROWS_OF_UPSTREAM_AGGREGATE",
        "function" -> function,
        "outputMode" -> mode
      )
    }
    operator.batch.filter(operator.isDrainRequested).foreach(checkDrained(operator.conf, _))
    operator.batch.filter(_ => operator.isRealTime).foreach(checkRealTime)
  }

  /** Rejects a physical plan that would hold rows back: the logical plan does not show a sort. */
  private def checkRealTime(batch: MicroBatch): Unit =
    RealTimeMode.holding(batch.operators) {
      case windows: StreamWindowsExec => windows.isRealTime
      case _: LateRowsExec => true
      case _ => false
    }.foreach { operator =>
      throw new MuntinRuntimeException(
        "MUNTIN_UNSUPPORTED_IN_REAL_TIME_MODE",
        "operator" -> operator.nodeName
      )
    }

  private def checkProvider(function: String, conf: SQLConf): Unit = {
    val setting = SQLConf.STATE_STORE_PROVIDER_CLASS
    val provider = conf.getConf(setting)
    if (provider != StateOfPartition.Provider) {
      throw new MuntinAnalysisException(
        "MUNTIN_UNSUPPORTED_STATE_STORE",
        "function" -> function,
        "provider" -> provider,
        "setting" -> setting.key,
        "required" -> StateOfPartition.Provider
      )
    }
  }

  private def checkDrained(conf: SQLConf, batch: MicroBatch): Unit = {
    val setting = MuntinConf.StreamDrain
    val drain = if (conf.getConf(setting)) s"${setting.key}=true" else "drain => true"
    // Only since 4.1 does Spark report a query's trigger at analysis.
    if (!batch.times.isFinite) {
      throw new MuntinRuntimeException("MUNTIN_DRAIN_OF_ENDLESS_STREAM", "drain" -> drain)
    }
    if (!batch.isEnd) {
      StatefulExec.waitingOperators(batch.operators).foreach { operator =>
        throw new MuntinRuntimeException(
          "MUNTIN_DRAIN_WITH_STATEFUL_OPERATOR",
          "drain" -> drain,
          "operator" -> operator
        )
      }
    }
  }
}
