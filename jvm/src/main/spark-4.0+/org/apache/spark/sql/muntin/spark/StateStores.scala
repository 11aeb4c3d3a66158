package org.apache.spark.sql.muntin.spark

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

/** Opens state stores that belong to one task: Spark does not maintain them. */
private[spark] final class StateStores private (
    conf: StateStoreConf,
    files: Broadcast[SerializableConfiguration]
) extends Serializable {

  /** Returns a store, which the caller closes. */
  def open(id: StateStoreProviderId): StateStoreProvider = StateStoreProvider.createAndInit(
    id,
    StatefulExec.DefaultKey,
    StatefulExec.Value,
    NoPrefixKeyStateEncoderSpec(StatefulExec.DefaultKey),
    useColumnFamilies = true,
    conf,
    files.value.value,
    useMultipleValuesPerKey = false,
    None
  )
}

private[spark] object StateStores {
  def apply(session: SparkSession, conf: SQLConf): StateStores = new StateStores(
    StateStoreConf(conf),
    session.sparkContext.broadcast(
      new SerializableConfiguration(session.sessionState.newHadoopConf())
    )
  )
}
