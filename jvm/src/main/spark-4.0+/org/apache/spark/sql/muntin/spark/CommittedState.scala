package org.apache.spark.sql.muntin.spark

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.util.SerializableConfiguration

/**
 * The state of a partition as committed by a micro-batch, read separately from its query, which may
 * be running. A task's writes stay in its own files, and are deleted with them.
 */
private[spark] final class CommittedState(store: StateStore) extends StateOfPartition(store) {
  override def commit(): Unit = ()
}

/** The state of an operator, for tasks that each read one partition. */
private[spark] final class CommittedStates(
    place: StatefulOperatorStateInfo,
    conf: StateStoreConf,
    files: Broadcast[SerializableConfiguration]
) extends Serializable {

  /** Returns the state, valid until the task ends. */
  def of(partition: Int): StateOfPartition = {
    val id = StateStoreId(place.checkpointLocation, place.operatorId, partition)
    // A separate state store of the task: Spark does not maintain it.
    val provider = StateStoreProvider.createAndInit(
      StateStoreProviderId(id, place.queryRunId),
      StatefulExec.DefaultKey,
      StatefulExec.Value,
      NoPrefixKeyStateEncoderSpec(StatefulExec.DefaultKey),
      useColumnFamilies = true,
      conf,
      files.value.value,
      useMultipleValuesPerKey = false,
      None
    )
    val context = TaskContext.get()
    context.addTaskCompletionListener[Unit](_ => provider.close())
    // A RocksDB store, which the operator requires. It is loaded without a changelog, which would
    // be a file of the checkpoint.
    val store = provider
      .getReadStore(place.storeVersion, place.getStateStoreCkptId(partition).map(_.head))
    context.addTaskCompletionListener[Unit](_ => ReadStores.release(store))
    new CommittedState(store.asInstanceOf[StateStore])
  }
}

private[spark] object CommittedStates {
  def apply(place: StatefulOperatorStateInfo, session: SparkSession): CommittedStates = {
    val own = LocalSession.local(session)
    new CommittedStates(
      place,
      StateStoreConf(own.sessionState.conf),
      own.sparkContext.broadcast(new SerializableConfiguration(own.sessionState.newHadoopConf()))
    )
  }
}
