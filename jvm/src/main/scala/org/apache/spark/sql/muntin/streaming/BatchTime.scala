package org.apache.spark.sql.muntin.streaming

/**
 * How far time has come in a micro-batch. An operator with state gives it to the operators below
 * and beside when Spark plans the micro-batch; it is found when the first of the operators runs.
 *
 * @param isFirst
 *   whether no micro-batch of the checkpoint was before
 */
final class BatchTime(val isFirst: Boolean, @transient find: () => StreamTime)
    extends Serializable {
  lazy val get: StreamTime = find()
}
