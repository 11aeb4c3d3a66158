package org.apache.spark.sql.muntin.spark

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.util.SerializableConfiguration

/**
 * The state of a partition as a micro-batch has committed it, beside the query that it is of, which
 * may run. What a task writes to it stays in files of the task's own, and goes with them.
 */
private[spark] final class CommittedState(store: StateStore) extends StateOfPartition(store) {
  override def commit(): Unit = ()
}

/** The state of an operator, for tasks that read it, each its partition. */
private[spark] final class CommittedStates(
    place: StatefulOperatorStateInfo,
    conf: StateStoreConf,
    files: Broadcast[SerializableConfiguration]
) extends Serializable {

  /** The state, until the task ends. */
  def of(partition: Int): StateOfPartition = {
    val id = StateStoreId(place.checkpointLocation, place.operatorId, partition)
    // A state store of the task's own: no other query's, and none that Spark tends.
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
    // Of RocksDB's, which the operator requires. It is loaded without a log of changes, which
    // would be a file of the checkpoint.
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
