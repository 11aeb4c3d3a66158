package org.apache.spark.sql.muntin.streaming

/**
 * How far time has come in a micro-batch. A stateful operator gives it to the operators below and
 * beside it when Spark plans the micro-batch; the first of them that runs finds the time.
 *
 * @param isFirst
 *   whether the checkpoint has no micro-batch before this one
 * @param newest
 *   where it is needed: the newest time of the micro-batch's rows
 * @param results
 *   where the rows are results of windows below, and time goes by their bound: the bound
 */
final class BatchTime(
    val isFirst: Boolean,
    val newest: Option[NewestTime],
    val results: Option[ResultsBound],
    @transient find: () => StreamTime,
    @transient findLate: () => Option[LateFolder]
) extends Serializable {
  lazy val get: StreamTime = find()

  /** Where rows go that are left out, if somewhere. */
  lazy val late: Option[LateFolder] = findLate()

  /** Finds on the driver what tasks are sent. */
  def found: BatchTime = {
    get: Unit
    late: Unit
    this
  }
}
