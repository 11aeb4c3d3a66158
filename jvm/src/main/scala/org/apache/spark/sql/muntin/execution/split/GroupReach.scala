package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Which rows around a part of a group the windows reach that begin in it: where groups can be
 * split, and what each part reads.
 */
trait GroupReach extends Serializable {

  /** What of the rows it is told by, besides their order. */
  def references: AttributeSet

  /** Where groups may be cut. */
  def places(sample: SortedSample, order: CutOrder): CutPlaces

  /**
   * Whether blocks of rows that are merged begin with windows: so they lie alike in a part of a
   * group.
   */
  def alignsBlocks: Boolean

  /** Of the rows in the halo before `cut`: which are needed, if not all are. */
  def neededAt(cut: InternalRow, input: Seq[Attribute]): Option[BasePredicate] = None

  /**
   * The rows behind a part tell where its last window ends; else a part of a group ends like a
   * group.
   */
  def endsByRows: Boolean = false

  /**
   * Whether it goes no further than the windows do, and no part of a group may need any row before
   * it.
   */
  def isBounded: Boolean = true

  /** Where windows are told apart by the places on a grid where they begin: the one at `cut`. */
  def gridAt(cut: InternalRow, input: Seq[Attribute]): Option[Long] = None
}
