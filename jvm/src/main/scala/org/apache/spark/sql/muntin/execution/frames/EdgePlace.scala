package org.apache.spark.sql.muntin.execution.frames

/** A position in a partition, relative to a row, as far as planning knows it for every row. */
sealed abstract class EdgePlace {

  /** Whether it never lies after `other`, as far as planning knows. */
  final def isUpTo(other: EdgePlace): Boolean = (this, other) match {
    case (EdgePlace.Anywhere, _) => other == EdgePlace.End
    case (EdgePlace.Start, _) | (_, EdgePlace.End) => true
    case (EdgePlace.Row(shift), EdgePlace.Row(otherShift)) => shift <= otherShift
    case (EdgePlace.Row(shift), EdgePlace.AfterArrived | EdgePlace.AfterPeers) => shift <= 1L
    case (EdgePlace.FirstPeer, EdgePlace.Row(shift)) => shift >= 0L
    case (EdgePlace.FirstPeer, EdgePlace.AfterArrived | EdgePlace.AfterPeers) => true
    case (EdgePlace.AfterArrived, EdgePlace.AfterPeers) => true
    case (a, b) => a == b
  }
}

object EdgePlace {
  case object Start extends EdgePlace
  case object FirstPeer extends EdgePlace

  /** `shift` rows after the row. */
  final case class Row(shift: Long) extends EdgePlace

  /** After the last peer that arrived no later than the row. */
  case object AfterArrived extends EdgePlace
  case object AfterPeers extends EdgePlace
  case object End extends EdgePlace
  case object Anywhere extends EdgePlace
}
