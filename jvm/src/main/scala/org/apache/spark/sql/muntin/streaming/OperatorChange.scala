package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.muntin.spark.{
  CheckpointCopy,
  StateOfPartition,
  StoredCheckpoint,
  StoredOperator
}

/** What becomes of an operator's state in a changed query. */
private[streaming] sealed abstract class OperatorChange {
  def windows: Seq[WindowChange]

  /** Writes the state of the changed query's operator, if there is one. */
  def write(from: StoredCheckpoint, to: CheckpointCopy): Unit
}

/** The changed query has the operator. */
private[streaming] sealed abstract class ContinuedOperator extends OperatorChange {
  def before: StoredOperator
}

/** The state continues unchanged, except for the `heads` of groups in another output mode. */
private[streaming] final case class KeptOperator(
    before: StoredOperator,
    now: StreamWindowsExec,
    heads: Option[HeadsOfMode]
) extends ContinuedOperator {
  override def windows: Seq[WindowChange] =
    OperatorChange.windows(Some(now.number), now.title, now.storedProperties)(
      ChangeAction.Continues,
      None
    )

  override def write(from: StoredCheckpoint, to: CheckpointCopy): Unit =
    StateRouting.move(
      StateRouting.of(before, before.partitions),
      from,
      to,
      now.number,
      heads
    ): Unit
}

/** The state is converted to other functions or columns. */
private[streaming] final case class ConvertedOperator(
    before: StoredOperator,
    now: StreamWindowsExec,
    functions: ChangedFunctions,
    groups: ChangedGroups
) extends ContinuedOperator {
  override def windows: Seq[WindowChange] = {
    val ofFunctions = functions.changes.map { case (function, action, reason) =>
      val isDropped = action == ChangeAction.IsDropped
      val number = Option.when(!isDropped)(now.number)
      WindowChange(number, now.title, Some(function), action, reason)
    }
    ofFunctions ++ functions.missingColumns.map { column =>
      val (action, reason) =
        if (column.nullable) (ChangeAction.Restarts, "it is null in rows of the checkpoint")
        else (ChangeAction.NeedsHistory, "rows in the checkpoint lack it, and it is not nullable")
      WindowChange(Some(now.number), now.title, Some(column.name), action, Some(reason))
    }
  }

  override def write(from: StoredCheckpoint, to: CheckpointCopy): Unit = {
    val converted = groups
    // Both states are of one task: groups stay in their partitions.
    val states = from.read(before)((_, state) => Iterator(state))
    to.writeState(now.number, states)((state, old) => converted.write(old.next(), state)): Unit
  }
}

/** The state continues, without the rows that wait in an operator below it, which is dropped. */
private[streaming] final case class LackingOperator(change: ContinuedOperator)
    extends OperatorChange {
  override def windows: Seq[WindowChange] = change.windows.map { window =>
    if (window.action != ChangeAction.Continues) window
    else {
      window.copy(
        action = ChangeAction.Restarts,
        reason = Some("rows that wait in a window below it are dropped")
      )
    }
  }

  override def write(from: StoredCheckpoint, to: CheckpointCopy): Unit = change.write(from, to)
}

/** The operator begins without state. */
private[streaming] final case class RestartedOperator(now: StreamWindowsExec, reason: String)
    extends OperatorChange {
  override def windows: Seq[WindowChange] =
    OperatorChange.windows(Some(now.number), now.title, now.storedProperties)(
      ChangeAction.Restarts,
      Some(reason)
    )

  override def write(from: StoredCheckpoint, to: CheckpointCopy): Unit = {
    val keepsBegins = now.keepsBegins
    val nothing: RDD[Unit] = now.session.sparkContext.parallelize(Seq.empty[Unit], now.partitions)
    to.writeState(now.number, nothing)((state, _) =>
      RestartedOperator.open(state, keepsBegins)
    ): Unit
  }
}

private object RestartedOperator {
  private def open(state: StateOfPartition, keepsBegins: Boolean): Unit =
    new StreamStore(state, keepsBegins): Unit
}

/** The changed query does not have the operator. */
private[streaming] final case class DroppedOperator(before: StoredOperator)
    extends OperatorChange {
  override def windows: Seq[WindowChange] =
    OperatorChange.windows(None, before.title, before.properties)(
      ChangeAction.IsDropped,
      Some("its rows that wait are dropped")
    )

  override def write(from: StoredCheckpoint, to: CheckpointCopy): Unit = ()
}

private[streaming] object OperatorChange {

  /** Returns a line for each function of an operator with these properties. */
  def windows(operator: Option[Long], title: String, properties: Map[String, String])(
      action: ChangeAction,
      reason: Option[String]
  ): Seq[WindowChange] = {
    val functions = functionsOf(properties)
    val all = if (functions.isEmpty) Seq(None) else functions.map(f => Some(readable(f)))
    all.map(WindowChange(operator, title, _, action, reason))
  }

  /** Spark's optimizer may or may not turn `3 PRECEDING` into `-3 FOLLOWING`. */
  def readable(function: String): String = function
    .replaceAll("-(\\d+) FOLLOWING", "$1 PRECEDING")
    .replaceAll("INTERVAL '-([^']+)' ([A-Z ]+) FOLLOWING", "INTERVAL '$1' $2 PRECEDING")

  /** Returns the functions in an operator's properties, in order. */
  def functionsOf(properties: Map[String, String]): Seq[String] =
    Iterator.from(1).map(i => properties.get(s"function $i")).takeWhile(_.isDefined).flatten.toSeq
}
