package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.muntin.execution.rows.Output
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.DataType

/** A component of a partial over a frame, whose state accumulators hold. */
private[partials] abstract class FrameComponent {
  def state: ComponentState

  /** Sets the state to what the accumulators hold now. */
  def read(): Unit
}

private[partials] object FrameComponent {

  /** A component that counts rows. */
  def count(component: CountComponent)(now: () => Long): FrameComponent = new FrameComponent {
    override val state: CountState = component.start()

    override def read(): Unit = state.set(now())
  }

  /** A component whose value `output` writes to the first field of a row. */
  def of(output: Output, dataType: DataType): FrameComponent = new FrameComponent {
    private val row = new GenericInternalRow(1)

    override val state: ComponentState = new ComponentState {
      override def value: Any = row.get(0, dataType)

      override def update(inputs: Inputs): Unit = throw notChanged

      override def merge(stored: Any): Unit = throw notChanged
    }

    override def read(): Unit = output.write(row)

    private def notChanged = new UnsupportedOperationException("it is read from accumulators")
  }
}

/** Writes the result of a partial aggregate over components: its own last step. */
private final class PartialOutput(
    function: PartialAggregate,
    components: Array[FrameComponent],
    ordinal: Int
) extends Output {
  private val state = new PartialState(components.map(_.state))
  private val writer = InternalRow.getWriter(ordinal, function.dataType)

  override def write(target: InternalRow): Unit = {
    var i = 0
    while (i < components.length) {
      components(i).read()
      i += 1
    }
    val result = function.eval(state)
    if (result == null) target.setNullAt(ordinal) else writer(target, result)
  }
}
