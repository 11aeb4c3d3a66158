package org.apache.spark.sql.muntin.spark

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.apache.spark.sql.execution.streaming.state._

/**
 * The state of a partition as committed by a micro-batch, read separately from its query, which may
 * be running. A task's writes stay in its own files, and are deleted with them.
 */
private[spark] final class CommittedState(store: StateStore) extends StateOfPartition(store) {
  override def commit(): Unit = ()
}

/** The state of an operator, for tasks that each read one partition. */
private[spark] final class CommittedStates(place: StatefulOperatorStateInfo, stores: StateStores)
    extends Serializable {

  /** Returns the state, valid until the task ends. */
  def of(partition: Int): StateOfPartition = {
    val id = StateStoreId(place.checkpointLocation, place.operatorId, partition)
    val provider = stores.open(StateStoreProviderId(id, place.queryRunId))
    val context = TaskContext.get()
    context.addTaskCompletionListener[Unit](_ => provider.close())
    // A RocksDB store, which the operator requires. It is loaded without a changelog, which would
    // be a file of the checkpoint.
    val store = UnreadableState.report(place, partition) {
      provider.getReadStore(place.storeVersion, place.getStateStoreCkptId(partition).map(_.head))
    }
    context.addTaskCompletionListener[Unit](_ => ReadStores.release(store))
    new CommittedState(store.asInstanceOf[StateStore])
  }
}

private[spark] object CommittedStates {
  def apply(place: StatefulOperatorStateInfo, session: SparkSession): CommittedStates = {
    val own = LocalSession.local(session)
    new CommittedStates(place, StateStores(own, own.sessionState.conf))
  }
}
