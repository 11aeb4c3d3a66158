package org.apache.spark.sql.muntin.execution.frames

/** A position in a partition, relative to a row, if planning can determine it for every row. */
sealed abstract class EdgePlace {

  /** Returns true if it is never after `other`, as far as is known at planning. */
  final def isUpTo(other: EdgePlace): Boolean = (this, other) match {
    case (EdgePlace.Anywhere, _) => other == EdgePlace.End
    case (EdgePlace.Start, _) | (_, EdgePlace.End) => true
    case (EdgePlace.Row(shift), EdgePlace.Row(otherShift)) => shift <= otherShift
    // The groups between a row and another group have at least one row each.
    case (EdgePlace.Row(shift), EdgePlace.Group(groups)) => groups >= 1L && shift <= groups
    case (EdgePlace.Group(groups), EdgePlace.Row(shift)) => groups <= 0L && groups <= shift
    case (EdgePlace.Group(groups), EdgePlace.Group(otherGroups)) => groups <= otherGroups
    case (EdgePlace.Row(shift), EdgePlace.AfterArrived) => shift <= 1L
    case (EdgePlace.Group(groups), EdgePlace.AfterArrived) => groups <= 0L
    case (EdgePlace.AfterArrived, EdgePlace.Group(groups)) => groups >= 1L
    case (a, b) => a == b
  }
}

object EdgePlace {
  case object Start extends EdgePlace

  /** The first row of the peers that are `groups` groups of peers after the row's own. */
  final case class Group(groups: Long) extends EdgePlace

  /** `shift` rows after the row. */
  final case class Row(shift: Long) extends EdgePlace

  /** After the last peer that arrived no later than the row. */
  case object AfterArrived extends EdgePlace
  case object End extends EdgePlace
  case object Anywhere extends EdgePlace
}
