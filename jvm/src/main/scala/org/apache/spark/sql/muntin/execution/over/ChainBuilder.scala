package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.execution.functions.{FrameBuilder, FrameView, RowFrameBuilder}
import io.muntin.kernel.Accumulator
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.merging.SharedBlocks
import io.muntin.kernel.motions.{Motion, PiecedMotion}
import io.muntin.kernel.ranks.Ranking
import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}

/** Builds the `index`-th view of a frame whose windows move back and forth, as a separate frame. */
private[execution] final class ChainBuilder(
    frame: RowFrameBuilder,
    override val motion: Motion,
    index: Int
) extends FrameView(frame)
    with RowFrameBuilder {
  override def hasHoles: Boolean = frame.hasHoles

  override def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A =
    shared(key) {
      val made = make
      drive(made)
      made
    }

  override def shared[A <: AnyRef](key: AnyRef)(make: => A): A =
    frame.shared(("chain", index, key))(make)

  override lazy val pieces: Seq[FrameBuilder] = motion match {
    case pieced: PiecedMotion =>
      pieced.pieces.zipWithIndex.map { case (m, i) => new PieceBuilder(this, m, i) }
    case _ => Seq(this)
  }

  // Frames that move row by row are faster with blocks of their own.
  override def blocks[F <: AnyRef](key: AnyRef)(make: Column.Reader => SharedBlocks[F])
      : Option[SharedBlocks[F]] =
    if (index <= ChainBuilder.OwnBlocks || hasHoles) None else frame.blocks(key)(make)

  override def ranking: Ranking = frame.ranking

  override def peers(order: Seq[SortOrder]): LongColumn = frame.peers(order)

  override def currentColumn(expression: Expression): Column = frame.currentColumn(expression)

  override def counted: Option[LongColumn] = frame.counted

  override def currentRow: Long = frame.currentRow
}

private object ChainBuilder {

  /** This many chains have blocks of their own. */
  private val OwnBlocks = 8
}
