package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.muntin.execution.split.GroupReach
import org.apache.spark.sql.muntin.expressions.{
  FieldWindow,
  GroupWindow,
  Sessions,
  TickWindow,
  Validity
}
import org.apache.spark.sql.types.TimestampType

/** What planning knows of a window of a GROUP BY, beside what the query says (`GroupWindow`). */
trait GroupWindowSpec {
  def window: GroupWindow

  /**
   * An aggregate over the rows of all groups, if the first window cannot come out before its value
   * is known; `plan` gets the value.
   */
  def ofAllGroups: Option[AggregateFunction] = None

  /** How the windows are found; `known` is the value of `ofAllGroups`. */
  def plan(known: Option[Any]): GroupPlan

  /** The panes that every window is made of, if there are any. */
  def panes: Option[WindowPanes] = None

  /** The fields of a window, each of which ascends from one window of a group to the next. */
  def ascending: Seq[Int] = Nil

  /**
   * Which rows the windows of a chunk of a group reach; None where planning cannot know it: then no
   * group is split over tasks.
   */
  def reach: Option[GroupReach] = None

  /**
   * On a stream: the fields of a window that are times, none of them before the watermark of the
   * micro-batch before the one in which the window comes out. Windows of windows go by them.
   */
  def times: Seq[Int] =
    window.dataType.fields.indices.drop(1).filter { i =>
      val field = window.dataType.fields(i)
      field.dataType == TimestampType && !field.nullable
    }

  /**
   * On a stream: the field of a window that is when it begins, where operators above can know when
   * the oldest open window of all groups begins. They may go by it, too.
   */
  def begins: Option[Int] = None

  /** The same windows on a stream. */
  def onStream: GroupWindowOnStream
}

object GroupWindowSpec {

  /** A window that has its own spec. */
  trait Own extends GroupWindow {
    def spec: GroupWindowSpec
  }

  def of(window: GroupWindow): GroupWindowSpec = window match {
    case field: FieldWindow => FieldWindowSpec(field)
    case ticks: TickWindow => TickWindowSpec(ticks)
    case validity: Validity => ValiditySpec(validity)
    case sessions: Sessions => SessionsSpec(sessions)
    case own: Own => own.spec
    case other => throw new IllegalStateException(s"no windows are known of ${other.prettyName}")
  }
}

/** Panes: rows are aggregated by pane before the rows of a key are exchanged. */
trait WindowPanes {

  /** The number of the pane that a row is in. */
  def pane: Expression

  /** The same windows over panes: `first` and `last` are the least and greatest value in each. */
  def over(first: Attribute, last: Attribute): GroupWindow

  /**
   * On a stream: the last time that a row of the same pane as `time` can have. Rows of the pane may
   * come until then.
   */
  def last(time: Expression): Option[Expression]
}

/**
 * The windows of a group on a stream. The watermark takes the place of what is known of all groups,
 * and a group ends only where the stream is drained.
 */
trait GroupWindowOnStream {

  /**
   * How the windows are found; `keyed`: there are several groups. Where they cannot be found, an
   * error says what to write instead.
   */
  def plan(keyed: Boolean): GroupPlan

  /**
   * Refuses windows that cannot be found in groups of `keys`; `byArrival`: rows have their results
   * in the order in which they come.
   */
  def check(keys: Seq[Attribute], byArrival: Boolean): Unit = ()

  /**
   * With several groups: the windows of each group are cut at the start of every so many-th row of
   * all groups.
   */
  def marks: Option[Int] = None

  /** Whether a later row in time may undo a window that is open: early answers are withdrawn. */
  def withdraws: Boolean = false

  /** The field that is the time of windows of which a group may have several that are equal. */
  def repeats: Option[Int] = None

  /** Whether the newest row of all groups says which windows a group has at the end. */
  def endsByNewest: Boolean = false

  /**
   * Returns true if a row closes the windows of its group that are open at its time: they are final
   * when the watermark has reached the row.
   */
  def closesAtRows: Boolean = false

  /** Whether the clock may close windows. */
  def hasClosing: Boolean = false

  /**
   * Where the clock may close windows: the end of the last window that a row at `time` opens, where
   * windows until `openUntil` are open; None where it opens none.
   */
  def lastEnd(time: Long, openUntil: Long): Option[Long] = None
}
