package org.apache.spark.sql.muntin.streaming

/**
 * Rewrites the heads of groups for another output mode. In output mode update, the head of a group
 * has the emitted answers that may change, before its buffered rows. In append mode, it does not
 * have answers.
 *
 *     append to update     empty answers are inserted: the next micro-batch emits each open result
 *     update to append     the answers are removed: the results are emitted when they are final
 *
 * docs/internals/state-layout.md describes the fields. Guarded by ChangeSuite.
 *
 * @param hasClosing
 *   whether heads have the times of windows that the clock may close
 * @param isEarly
 *   whether the operator emits early answers in the new output mode
 */
private[streaming] final case class HeadsOfMode(hasClosing: Boolean, isEarly: Boolean) {
  import HeadsOfMode._

  def apply(head: Array[Byte]): Array[Byte] = {
    val in = new StateInput(head)
    HeadFields.moveToAnswers(in, hasClosing)
    val from = in.at
    HeadFields.skipAnswers(in)
    val out = new StateOutput
    out.write(head, 0, from)
    if (isEarly) out.write(NoAnswers, 0, NoAnswers.length)
    out.write(head, in.at, head.length - in.at)
    out.copy
  }
}

private object HeadsOfMode {
  private val NoAnswers: Array[Byte] = {
    val out = new StateOutput
    new EmittedResults().write(out)
    out.copy
  }
}
