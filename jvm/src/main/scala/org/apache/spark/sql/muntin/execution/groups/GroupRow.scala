package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * The fields of the output rows of GROUP BY windows. Only the fields at `places` are emitted, among
 * all fields (the keys, the window as a struct, the results, in this order).
 */
final case class GroupLayout(
    keys: Seq[(DataType, Boolean)],
    window: StructType,
    results: Seq[DataType],
    places: Seq[Int]
) {
  private[execution] val windowPlace: Int = keys.size

  private[execution] def resultPlace(i: Int): Int = keys.size + 1 + i

  private[execution] def types: Seq[DataType] = (keys.map(_._1) :+ window) ++ results

  private def projection(): UnsafeProjection = {
    val nullables = (keys.map(_._2) :+ false) ++ results.map(_ => true)
    val all = types.zip(nullables).zipWithIndex.map { case ((dataType, nullable), i) =>
      BoundReference(i, dataType, nullable)
    }
    UnsafeProjection.create(places.map(all(_)))
  }

  // True if fields have fixed length and so keep their place from window to window.
  private val isInPlace: Boolean = {
    val written = window.fields.map(_.dataType).toSeq ++ results
    val places = (0 to results.size).map(windowPlace + _)
    written.forall(t => UnsafeRow.isFixedLength(t)) && places.forall(p =>
      this.places.count(_ == p) == 1
    )
  }

  /** Returns the ordinal of each result, as a field of `GroupRow.results`. */
  def ordinals: Seq[Int] = {
    val inRow = results.indices.map(resultPlace)
    if (isInPlace) inRow.map(places.indexOf(_)) else inRow
  }

  /** Makes rows for one thread; they share generated code, as in GeneratedCode. */
  def rows(): () => GroupRow = {
    val shared = projection()
    () => {
      val projected = new GroupRow.Projected(this, shared)
      if (isInPlace) new GroupRow.InPlace(projected, places.indexOf(windowPlace), window.length)
      else projected
    }
  }
}

object GroupLayout {

  /** Returns a layout with all fields, in their order. */
  def apply(keys: Seq[Attribute], window: StructType, results: Seq[DataType]): GroupLayout =
    GroupLayout(
      keys.map(k => (k.dataType, k.nullable)),
      window,
      results,
      0 to keys.size + results.size
    )
}

/** The output row of each window. */
abstract class GroupRow {

  /** Starts a group; `key` does not change afterwards. */
  def start(key: UnsafeRow): Unit

  /** Returns the row for the fields of the window. */
  def window: InternalRow

  /** Returns the row for the results, at `GroupLayout.ordinals`. */
  def results: InternalRow

  /** Returns the written row; valid until more is written. */
  def written: UnsafeRow
}

private[execution] object GroupRow {

  /** A row that is built again for each window. */
  final class Projected(layout: GroupLayout, projection: UnsafeProjection) extends GroupRow {
    private val keyTypes = layout.keys.map(_._1).toArray

    override val window: InternalRow =
      new SpecificInternalRow(layout.window.fields.map(_.dataType).toSeq)

    override val results: InternalRow = {
      val row = new SpecificInternalRow(layout.types)
      row.update(layout.windowPlace, window)
      row
    }

    override def start(key: UnsafeRow): Unit = keyTypes.indices.foreach { i =>
      results.update(i, if (key.isNullAt(i)) null else key.get(i, keyTypes(i)))
    }

    override def written: UnsafeRow = projection(results)
  }

  /** One row for each group; each window overwrites the window and the results. */
  final class InPlace(first: Projected, windowOrdinal: Int, windowFields: Int) extends GroupRow {
    private val struct = new UnsafeRow(windowFields)
    private var row: UnsafeRow = _

    override def start(key: UnsafeRow): Unit = {
      first.start(key)
      row = first.written.copy()
      val place = row.getLong(windowOrdinal)
      struct.pointTo(row.getBaseObject, row.getBaseOffset + (place >>> 32), place.toInt)
    }

    override def window: InternalRow = struct

    override def results: InternalRow = row

    override def written: UnsafeRow = row
  }
}
