package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Rows that are valid from their start until their end, or forever if the end is null. Windows that
 * begin in a chunk reach back to all rows that are valid at the start of the chunk.
 *
 * With `inPieces` the windows are the pieces of time between the starts and ends of rows: a piece
 * ends at each start of another row that is valid for some time. Else each row has its own window.
 *
 *     rows [0, 100) [10, 20) [30, 60) [50, 70), a cut before the row that starts at 50
 *     the chunk after the cut       reads [0, 100) and [30, 60), too: they are valid at 50
 *     the chunk before the cut       reads [50, 70), too: its last piece, [30, 50), ends there
 */
final case class ValidRows(start: Expression, end: Expression, inPieces: Boolean)
    extends GroupReach {
  override def references: AttributeSet = AttributeSet(Seq(start, end))

  override def places(sample: SortedSample, order: CutOrder): CutPlaces =
    new ValidPlaces(sample, order, this)

  // Partials are merged by the numbers of rows, and rows before the cut have left.
  override def alignsBlocks: Boolean = false

  // A row that is valid for long is needed far after its start.
  override def isBounded: Boolean = false

  override def endsByRows: Boolean = inPieces

  override def neededAt(cut: InternalRow, input: Seq[Attribute]): Option[BasePredicate] =
    Some(validAt(cut, input))

  /**
   * Returns a predicate that picks, among the rows that start before `cut`, the rows that are valid
   * at the cut's start.
   */
  def validAt(cut: InternalRow, input: Seq[Attribute]): BasePredicate = {
    val time = Literal(BindReferences.bindReference(start, input).eval(cut), start.dataType)
    Predicate.create(Or(IsNull(end), GreaterThan(end, time)), input)
  }

  /** Returns a predicate that picks the rows before which a cut is possible. */
  def begin(input: Seq[Attribute]): BasePredicate = {
    val begins = if (inPieces) Or(IsNull(end), GreaterThan(end, start)) else Literal.TrueLiteral
    Predicate.create(And(IsNotNull(start), begins), input)
  }
}
