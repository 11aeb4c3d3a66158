package org.apache.spark.sql.muntin.execution.exchange

/**
 * Distributes rows in columns to stripes: a step finds the place of each of its rows in the stripe
 * of the row's partition, and then proceeds column by column.
 */
private[exchange] abstract class StripeDistributor(layout: Layout, partitions: Int)
    extends Stripes(layout, partitions) {

  /** The partition of each row of a step. */
  protected final val ids = new Array[Int](Stripes.MostRowsOfStep)

  /** The place of each row of a step in the stripe of its partition. */
  protected final val places = new Array[Int](Stripes.MostRowsOfStep)

  // The partitions of a step, and the number of rows for each.
  private val touched = new Array[Int](Stripes.MostRowsOfStep)
  private val counts = new Array[Int](partitions)
  private var partitionsOfStep = 0

  /** Finds the places of `rows` rows with `bytes` bytes of variable-length values. */
  protected final def findPlaces(rows: Int, bytes: Long): Unit = {
    partitionsOfStep = 0
    var i = 0
    while (i < rows) {
      val id = ids(i)
      if (counts(id) == 0) {
        touched(partitionsOfStep) = id
        partitionsOfStep += 1
      }
      counts(id) += 1
      i += 1
    }
    var t = 0
    while (t < partitionsOfStep) {
      makeRoom(touched(t), counts(touched(t)), bytes)
      counts(touched(t)) = 0
      t += 1
    }
    i = 0
    while (i < rows) {
      places(i) = builders.place(ids(i))
      i += 1
    }
  }

  /** Completes the step, after all columns of its rows are in their stripes. */
  protected final def addedAll(): Unit = {
    var t = 0
    while (t < partitionsOfStep) {
      added(touched(t))
      t += 1
    }
  }
}
