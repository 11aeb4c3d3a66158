package org.apache.spark.sql.muntin.execution.functions

import io.muntin.kernel.Abilities
import io.muntin.kernel.merging.{
  AlignedBlocks,
  AlignedTree,
  BlocksBetween,
  FrameFold,
  GrowingFold,
  MergedPieces,
  Partials,
  SharedBlocks
}

/** Chooses the accumulators of an aggregate whose partials can be merged, by the kind of frame. */
private object MergedFrame {
  def abilities(frame: FrameKind, isSaved: Boolean): Abilities =
    if (!frame.evicts) GrowingFold.abilities(isSaved)
    else if (frame.isScattered) AlignedTree.abilities
    else if (frame.hasHoles) AlignedBlocks.abilities.byPiece
    else AlignedBlocks.abilities

  def fold[F <: AnyRef](frame: FrameBuilder, key: AnyRef, partials: Partials[F]): FrameFold =
    frame.slots match {
      case Some(slots) =>
        frame.accumulator[FrameFold](key)(new AlignedTree(frame.memory, partials, slots))
      case None =>
        frame.accumulatorOfPieces[FrameFold, AlignedBlocks[F]](key) { piece =>
          if (!piece.evicts) GrowingFold(partials)
          else {
            piece.blocks(key)(new SharedBlocks(frame.memory, partials, _)) match {
              case Some(shared) => new BlocksBetween(shared, partials)
              case None => new AlignedBlocks(frame.memory, partials)
            }
          }
        }(new MergedPieces(frame.memory, partials, _))
    }
}
