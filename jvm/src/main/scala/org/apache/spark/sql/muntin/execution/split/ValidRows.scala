package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Rows that are valid from their start until their end, or for ever where that is null: windows
 * that begin in a part reach back to all rows that are valid where it begins. `inPieces`: the
 * windows are the pieces between the starts and ends of rows, so that one ends wherever a row
 * starts that is valid some time; else each row has its own.
 */
final case class ValidRows(start: Expression, end: Expression, inPieces: Boolean)
    extends GroupReach {
  override def references: AttributeSet = AttributeSet(Seq(start, end))

  override def places(sample: SortedSample, order: CutOrder): CutPlaces =
    new ValidPlaces(sample, order, this)

  // They are merged by the numbers of rows, of which others have left before.
  override def alignsBlocks: Boolean = false

  // A row that is valid for long is needed far behind its start.
  override def isBounded: Boolean = false

  override def endsByRows: Boolean = inPieces

  override def neededAt(cut: InternalRow, input: Seq[Attribute]): Option[BasePredicate] =
    Some(validAt(cut, input))

  /** Of rows that start before `cut`: which are valid at its start. */
  def validAt(cut: InternalRow, input: Seq[Attribute]): BasePredicate = {
    val time = Literal(BindReferences.bindReference(start, input).eval(cut), start.dataType)
    Predicate.create(Or(IsNull(end), GreaterThan(end, time)), input)
  }

  /** Before which rows there may be a cut. */
  def begin(input: Seq[Attribute]): BasePredicate = {
    val begins = if (inPieces) Or(IsNull(end), GreaterThan(end, start)) else Literal.TrueLiteral
    Predicate.create(And(IsNotNull(start), begins), input)
  }
}
