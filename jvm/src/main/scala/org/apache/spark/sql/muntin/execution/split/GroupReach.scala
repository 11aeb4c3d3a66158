package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Finds where groups can be split, and which rows around a chunk of a group the windows that begin
 * in the chunk reach. FieldGrid, TickGrid and ValidRows have examples.
 */
trait GroupReach extends Serializable {

  /**
   * Returns the columns that determine which rows are reached, besides the columns of the order.
   */
  def references: AttributeSet

  /** Returns the places where groups may be cut. */
  def places(sample: SortedSample, order: CutOrder): CutPlaces

  /**
   * Returns true if blocks of merged rows begin where windows do: then the blocks of a chunk are
   * blocks of the whole group.
   */
  def alignsBlocks: Boolean

  /** Picks the rows that are needed from the halo before `cut`; None if all are. */
  def neededAt(cut: InternalRow, input: Seq[Attribute]): Option[BasePredicate] = None

  /**
   * Returns true if the last window of a chunk ends at a row after the chunk; if not, a chunk ends
   * as a group does.
   */
  def endsByRows: Boolean = false

  /**
   * Returns true if windows reach no further than the halo, for any place in the group where they
   * begin.
   */
  def isBounded: Boolean = true

  /** Returns the place on the grid at `cut`, if windows begin at places of a grid. */
  def gridAt(cut: InternalRow, input: Seq[Attribute]): Option[Long] = None
}
