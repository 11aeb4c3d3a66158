package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.muntin.execution.split.GroupReach
import org.apache.spark.sql.muntin.expressions.{FieldWindow, GroupWindow, TickWindow, Validity}
import org.apache.spark.sql.types.TimestampType

/** What planning knows of a window of a GROUP BY, beside what the query says (`GroupWindow`). */
trait GroupWindowSpec {
  def window: GroupWindow

  /**
   * What has to be known of the rows of all groups before the first window can come out: an
   * aggregate over them, of which `plan` is given the value.
   */
  def ofAllGroups: Option[AggregateFunction] = None

  /** How the windows are found; `known` is the value of `ofAllGroups`. */
  def plan(known: Option[Any]): GroupPlan

  /** The panes that every window is made of, where there are such. */
  def panes: Option[WindowPanes] = None

  /**
   * Which rows the windows of a part of a group reach; None where no one can know that before, so
   * that no group is split over tasks.
   */
  def reach: Option[GroupReach] = None

  /** On a stream: whether each window has its end in the second field, a TIMESTAMP. */
  def hasEnds: Boolean =
    window.dataType.fields.lift(1).exists(f => f.dataType == TimestampType && !f.nullable)

  /** The same windows on a stream. */
  def onStream: GroupWindowOnStream
}

object GroupWindowSpec {

  /** A window that brings what planning knows of it. */
  trait Own extends GroupWindow {
    def spec: GroupWindowSpec
  }

  def of(window: GroupWindow): GroupWindowSpec = window match {
    case field: FieldWindow => FieldWindowSpec(field)
    case ticks: TickWindow => TickWindowSpec(ticks)
    case validity: Validity => ValiditySpec(validity)
    case own: Own => own.spec
    case other => throw new IllegalStateException(s"no windows are known of ${other.prettyName}")
  }
}

/** Panes: rows are aggregated by pane before the rows of a key are brought together. */
trait WindowPanes {

  /** The number of the pane that a row is in. */
  def pane: Expression

  /** The same windows over panes: `first` and `last` are the least and greatest value in each. */
  def over(first: Attribute, last: Attribute): GroupWindow

  /**
   * On a stream, the last time that a row of the pane of `time` may have: others may come until
   * then.
   */
  def last(time: Expression): Option[Expression]
}

/**
 * The windows of a group on a stream, where the watermark takes the place of what is known of all
 * groups, and the end never comes.
 */
trait GroupWindowOnStream {

  /**
   * How they are found; `keyed`, in several groups. An error says what to write where they are not.
   */
  def plan(keyed: Boolean): GroupPlan

  /**
   * Refuses what cannot be found in groups of `keys`; `byArrival`, in the order in which rows come.
   */
  def check(keys: Seq[Attribute], byArrival: Boolean): Unit = ()

  /** In several groups: the windows of each are cut at the start of every so many-th row of all. */
  def marks: Option[Int] = None

  /** The end of the windows that end last by `time`, in microseconds, if the clock may end them. */
  def closedBy(time: Long): Option[Long] = None
}
