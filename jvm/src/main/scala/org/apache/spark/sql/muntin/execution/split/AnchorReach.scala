package org.apache.spark.sql.muntin.execution.split

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/** One of the two sides of window_by: the columns it is joined on, and the others that it has. */
final case class AnchoredSide(keys: Seq[Attribute], output: Seq[Attribute])

/**
 * Which rows of the source each task has to read whose anchors are those of a chunk: from the first
 * of their starts on until the last of their ends. The first is where the chunk begins. The last is
 * known when the task has read its anchors, which it does before it reads of the source: it has its
 * own copy of this, in which `see` puts down what `chunkOfSource` then finds.
 */
final class AnchorReach(
    chunks: Array[Chunk],
    anchors: AnchoredSide,
    start: Attribute,
    end: Attribute,
    source: AnchoredSide,
    time: Attribute
) extends Serializable {
  @transient private lazy val furthest = mutable.HashMap.empty[Int, Furthest]

  /** Looks at the anchors of a task as they are read. */
  def see(task: Int, rows: Iterator[InternalRow]): Iterator[InternalRow] =
    chunks(task).until match {
      case None => rows
      case Some(until) =>
        val seen = new Furthest(until.cut)
        furthest.put(task, seen): Unit
        rows.map { row =>
          seen(row)
          row
        }
    }

  /** When all anchors of the task have been read. */
  def chunkOfSource(task: Int): Chunk = {
    val from = chunks(task).from.map { c =>
      val cut = Cut(onSource(start)(c.cut.row).copy(), Cut.BeforePeers)
      HaloCut(cut, Seq(cut), Nil)
    }
    val until = chunks(task).until.map { c =>
      val seen = furthest
        .remove(task)
        .getOrElse(throw new IllegalStateException(s"no anchors have been read of chunk $task"))
      val last = seen.row match {
        case null => Cut(onSource(start)(c.cut.row).copy(), Cut.BeforePartition)
        case row => Cut(onSource(end)(row).copy(), Cut.AfterPeers)
      }
      HaloCut(last, Nil, Seq(last))
    }
    Chunk(from, until)
  }

  /** A row of the source of the anchor's keys, at the time that it has in that column. */
  private def onSource(column: Attribute): UnsafeProjection = UnsafeProjection.create(
    source.output.map { a =>
      val key = source.keys.indexWhere(_.exprId == a.exprId)
      if (key >= 0) anchors.keys(key)
      else if (a.exprId == time.exprId) column
      else Literal(null, a.dataType)
    },
    anchors.output
  )

  /**
   * The one that ends last of the anchors of the same keys as a cut: those before others reach no
   * row that is behind these.
   */
  private final class Furthest(cut: Cut) {
    private val keys =
      new CutOrder(anchors.keys.map(SortOrder(_, Ascending)), anchors.keys.size, anchors.output)
    private val ends = RowOrdering.create(Seq(SortOrder(end, Ascending)), anchors.output)
    var row: UnsafeRow = _

    def apply(anchor: InternalRow): Unit =
      if (keys.isSamePartition(anchor, cut.row) && (row == null || ends.compare(anchor, row) > 0)) {
        row = anchor.asInstanceOf[UnsafeRow].copy()
      }
  }
}
