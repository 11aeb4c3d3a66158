package org.apache.spark.sql.muntin

import scala.collection.mutable.{Buffer, HashSet}
import scala.util.matching.Regex

/** Methods of Scala 2.13's collections that Scala 2.12 does not have, under the same names. */
private[muntin] trait Scala213 {
  implicit final class OptionsOf213(option: Option.type) {
    def when[A](isThere: Boolean)(value: => A): Option[A] = if (isThere) Some(value) else None

    def unless[A](isThere: Boolean)(value: => A): Option[A] = when(!isThere)(value)
  }

  implicit final class CollectionsOf213[A](all: Traversable[A]) {
    def minOption(implicit order: Ordering[A]): Option[A] =
      if (all.isEmpty) None else Some(all.min(order))

    def maxOption(implicit order: Ordering[A]): Option[A] =
      if (all.isEmpty) None else Some(all.max(order))
  }

  implicit final class IteratorsOf213[A](rest: Iterator[A]) {
    def nextOption(): Option[A] = if (rest.hasNext) Some(rest.next()) else None
  }

  implicit final class SequencesOf213[A](all: Seq[A]) {
    def distinctBy[B](of: A => B): Seq[A] = {
      val seen = HashSet.empty[B]
      all.filter(a => seen.add(of(a)))
    }
  }

  implicit final class BuffersOf213[A](buffer: Buffer[A]) {
    def sortInPlace()(implicit order: Ordering[A]): Unit = {
      val sorted = buffer.sorted(order)
      buffer.clear()
      buffer ++= sorted: Unit
    }
  }

  implicit final class RegexesOf213(regex: Regex) {
    def matches(text: CharSequence): Boolean = regex.pattern.matcher(text).matches
  }
}
