package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/**
 * The rooms of the house, from the lowest to the highest: a file may import from the rooms below its
 * own. What is not so yet stands in `exceptions`, which only ever gets shorter. (The kernel has no
 * room here: it is a project of its own, which cannot see this one.)
 */
class WallsSuite extends AnyFunSuite {
  private val Base = "org.apache.spark.sql.muntin"

  private val rooms = Seq(
    "io.muntin.shaded",
    "io.muntin.Retracting",
    "io.muntin.calendar",
    s"$Base.conf",
    s"$Base.spark",
    s"$Base.execution.rows",
    s"$Base.execution.sort",
    s"$Base.aggregates",
    s"$Base.expressions",
    s"$Base.execution.functions",
    s"$Base.partials",
    s"$Base.execution.frames",
    s"$Base.execution.split",
    s"$Base.execution.over",
    s"$Base.execution.groups",
    s"$Base.execution.panes",
    s"$Base.execution.anchored",
    s"$Base.streaming",
    s"$Base.plans",
    Base,
    "io.muntin"
  )

  /** Arrows upwards, and how many files have them. */
  private val exceptions: Map[(String, String), Int] = Map.empty

  private case class Source(name: String, room: String, imports: Set[String])

  private val main = Path.of("src", "main")

  private lazy val sources: Seq[Source] = {
    val files = Files.walk(main).iterator.asScala
      .filter(f => f.toString.endsWith(".scala") || f.toString.endsWith(".java"))
    files.map { file =>
      val text = Files.readString(file)
      val inPackage = "(?m)^package ([\\w.]+)".r.findFirstMatchIn(text).get.group(1)
      val name = file.getFileName.toString.takeWhile(_ != '.')
      // What the folder of a Spark version has beside the packages is the room spark.
      val isOfVersion = main.relativize(file).getName(0).toString.startsWith("spark-")
      val whole =
        if (isOfVersion && inPackage == Base) s"$Base.spark.$name" else s"$inPackage.$name"
      Source(name, room(whole), imported(text))
    }.toSeq
  }

  /** The names below Muntin's packages that a file imports, each whole. */
  private def imported(text: String): Set[String] =
    "(?m)^import ((?:org\\.apache\\.spark\\.sql\\.muntin|io\\.muntin)(?:\\.\\w+)*)(?:\\.\\{([^}]*)\\})?".r
      .findAllMatchIn(text)
      .flatMap { found =>
        val path = found.group(1).stripSuffix(".").stripSuffix("._")
        Option(found.group(2)) match {
          case None => Seq(path)
          case Some(names) =>
            names.split(",").map(n => s"$path.${n.trim.takeWhile(_ != ' ')}").toSeq
        }
      }
      .filterNot(_.startsWith("io.muntin.kernel"))
      .toSet

  private def room(name: String): String =
    rooms.filter(r => name == r || name.startsWith(s"$r.")).maxBy(_.length)

  /** Files of the room spark are imported by the names of the package that they are in. */
  private lazy val ofVersion: Set[String] =
    sources.filter(_.room == s"$Base.spark").map(s => s"$Base.${s.name}").toSet

  private def roomOfImport(name: String): String =
    if (ofVersion(name)) s"$Base.spark" else room(name)

  private def short(room: String): String = room.stripPrefix(Base).stripPrefix(".")

  test("arrows between rooms go down") {
    assert(sources.size > 200)
    val upwards = for {
      source <- sources
      to <- source.imports.map(roomOfImport)
      if rooms.indexOf(to) > rooms.indexOf(source.room)
    } yield (short(source.room), short(to)) -> source.name
    val found = upwards.groupMap(_._1)(_._2)
    found.foreach { case (arrow, files) =>
      val allowed = exceptions.getOrElse(arrow, 0)
      assert(files.size <= allowed, s"$arrow: ${files.sorted.mkString(", ")}; allowed are $allowed")
    }
    val gone = exceptions.filter { case (arrow, n) => found.get(arrow).fold(0)(_.size) < n }
    assert(gone.isEmpty, "there are fewer by now: take them out of the exceptions")
  }
}
