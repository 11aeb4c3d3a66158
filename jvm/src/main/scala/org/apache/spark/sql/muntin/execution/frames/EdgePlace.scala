package org.apache.spark.sql.muntin.execution.frames

/** A position in the rows of a partition, as far as planning knows it for every row. */
sealed abstract class Place {

  /** Whether it is known never to lie after `other`. */
  final def isUpTo(other: Place): Boolean = (this, other) match {
    case (Place.Anywhere, _) => other == Place.End
    case (Place.Start, _) | (_, Place.End) => true
    case (Place.Row(shift), Place.Row(otherShift)) => shift <= otherShift
    case (Place.Row(shift), Place.AfterArrived | Place.AfterPeers) => shift <= 1L
    case (Place.FirstPeer, Place.Row(shift)) => shift >= 0L
    case (Place.FirstPeer, Place.AfterArrived | Place.AfterPeers) => true
    case (Place.AfterArrived, Place.AfterPeers) => true
    case (a, b) => a == b
  }
}

object Place {
  case object Start extends Place
  case object FirstPeer extends Place

  /** So many rows after the current one. */
  final case class Row(shift: Long) extends Place

  /** After the last peer that arrived no later than the current row. */
  case object AfterArrived extends Place
  case object AfterPeers extends Place
  case object End extends Place
  case object Anywhere extends Place
}
