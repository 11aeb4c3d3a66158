package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/** One side of window_by or of an as-of join: its join columns and all its columns. */
final case class AnchoredSide(keys: Seq[Expression], output: Seq[Attribute])

/**
 * Finds which rows of the source a task of window_by reads if its anchors are the rows of a chunk:
 * from the first start of these anchors until their last end. For an as-of join, the left side
 * contains the anchors. If the anchors have no `start` or no `end`, the task reads all rows of the
 * key before them or after them.
 *
 *     anchors of the chunk, [start, end]     [0, 10] [5, 30] [8, 12]
 *     rows of the source                     from time 0 until time 30
 *
 * The first start is the start of the chunk. The last end is known after the task has read its
 * anchors, and it reads them before the source. A task has its own copy of this object: `record`
 * records the last end, and `chunkOfSource` uses it.
 */
final class AnchorReach(
    chunks: Array[Chunk],
    anchors: AnchoredSide,
    start: Option[Expression],
    end: Option[Expression],
    source: AnchoredSide,
    time: Expression
) extends Serializable {
  @transient private lazy val furthest = mutable.HashMap.empty[Int, LastAnchor]

  /** Passes on the anchors of a task, and records the anchor that ends last. */
  def record(task: Int, rows: Iterator[InternalRow]): Iterator[InternalRow] =
    chunks(task).until match {
      case None => rows
      case Some(until) =>
        val lastAnchor = new LastAnchor(until.cut)
        furthest.put(task, lastAnchor): Unit
        rows.map { row =>
          lastAnchor(row)
          row
        }
    }

  /**
   * Returns the chunk of the source that the task reads. Call it after all of the task's anchors
   * have been read.
   */
  def chunkOfSource(task: Int): Chunk = {
    val from = chunks(task).from.map { c =>
      val cut = cutOfSource(c.cut.row, start, Cut.BeforePeers, Cut.BeforePartition)
      HaloCut(cut, Seq(cut), Nil)
    }
    val until = chunks(task).until.map { c =>
      val lastAnchor = furthest
        .remove(task)
        .getOrElse(throw new IllegalStateException(s"the anchors of chunk $task are not read"))
      val last = lastAnchor.row match {
        case null => cutOfSource(c.cut.row, None, Cut.BeforePeers, Cut.BeforePartition)
        case row => cutOfSource(row, end, Cut.AfterPeers, Cut.AfterPartition)
      }
      HaloCut(last, Nil, Seq(last))
    }
    Chunk(from, until)
  }

  /**
   * Returns the cut next to the peers of an anchor's `at`, a time of the source; if there is no
   * such time, the cut `beyond` the rows of the anchor's keys.
   */
  private def cutOfSource(
      anchor: UnsafeRow,
      at: Option[Expression],
      side: Cut.Side,
      beyond: Cut.Side
  ): Cut = {
    val onSource = UnsafeProjection.create(
      source.output.map { a =>
        val key = source.keys.indexWhere(_.references.contains(a))
        if (key >= 0) anchors.keys(key)
        else if (time.references.contains(a)) at.getOrElse(Literal(null, a.dataType))
        else Literal(null, a.dataType)
      },
      anchors.output
    )
    Cut(onSource(anchor).copy(), if (at.isDefined) side else beyond)
  }

  /**
   * Finds the anchor that ends last, among the anchors with the keys of `cut`. Anchors with other
   * keys, which precede them, reach no row of these keys.
   */
  private final class LastAnchor(cut: Cut) {
    private val keys =
      new CutOrder(anchors.keys.map(SortOrder(_, Ascending)), anchors.keys.size, anchors.output)
    private val ends = RowOrdering.create(end.map(SortOrder(_, Ascending)).toSeq, anchors.output)
    var row: UnsafeRow = _

    def apply(anchor: InternalRow): Unit =
      if (keys.isSamePartition(anchor, cut.row) && (row == null || ends.compare(anchor, row) > 0)) {
        row = anchor.asInstanceOf[UnsafeRow].copy()
      }
  }
}
