package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Where groups can be split, and which rows around a chunk of a group are reached by the windows
 * that begin in the chunk. FieldGrid, TickGrid and ValidRows have examples.
 */
trait GroupReach extends Serializable {

  /** The columns that say which rows are reached, besides those of the order. */
  def references: AttributeSet

  /** Where groups may be cut. */
  def places(sample: SortedSample, order: CutOrder): CutPlaces

  /**
   * Whether blocks of merged rows begin where windows do: then blocks in a chunk are the blocks
   * that the whole group would have.
   */
  def alignsBlocks: Boolean

  /** Picks, of the rows in the halo before `cut`, those that are needed; None where all are. */
  def neededAt(cut: InternalRow, input: Seq[Attribute]): Option[BasePredicate] = None

  /**
   * Whether the last window of a chunk ends at a row behind the chunk; if not, a chunk ends as a
   * group does.
   */
  def endsByRows: Boolean = false

  /** Whether windows reach no further than the halo, wherever in the group they begin. */
  def isBounded: Boolean = true

  /** The place on the grid at `cut`, where windows begin at the places of a grid. */
  def gridAt(cut: InternalRow, input: Seq[Attribute]): Option[Long] = None
}
