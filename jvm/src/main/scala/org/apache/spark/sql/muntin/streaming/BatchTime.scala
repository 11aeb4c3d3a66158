package org.apache.spark.sql.muntin.streaming

/**
 * How far time has come in a micro-batch. A stateful operator gives it to the operators below and
 * beside it when Spark plans the micro-batch; the first of them that runs finds the time.
 *
 * @param isFirst
 *   whether the checkpoint has no micro-batch before this one
 * @param newest
 *   where rows come out as they arrive: the newest time of the micro-batch's rows
 */
final class BatchTime(
    val isFirst: Boolean,
    val newest: Option[NewestTime],
    @transient find: () => StreamTime
) extends Serializable {
  lazy val get: StreamTime = find()
}
