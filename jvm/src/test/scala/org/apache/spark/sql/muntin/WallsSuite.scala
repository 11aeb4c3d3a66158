package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.muntin.kernel.MuntinSuite

/**
 * The rooms of the code, from the lowest to the highest: a file may import from the rooms below its
 * own. A room is a package, so packages do not import each other in a circle. The kernel is a
 * separate project, which KernelWallsSuite orders.
 */
class WallsSuite extends MuntinSuite {
  private val Base = "org.apache.spark.sql.muntin"

  private val rooms = Seq(
    "io.muntin.shaded",
    "io.muntin.api",
    "io.muntin.calendar",
    s"$Base.errors",
    s"$Base.spark",
    s"$Base.conf",
    s"$Base.parsing",
    s"$Base.execution.rows",
    s"$Base.execution.exchange",
    s"$Base.execution.sort",
    s"$Base.aggregates",
    s"$Base.expressions.common",
    s"$Base.expressions",
    s"$Base.expressions.internal",
    s"$Base.execution.python",
    s"$Base.execution.functions",
    s"$Base.partials",
    s"$Base.execution.frames",
    s"$Base.execution.split",
    s"$Base.execution.over",
    s"$Base.execution.groups",
    s"$Base.execution.panes",
    s"$Base.execution.anchored",
    s"$Base.execution.asof",
    s"$Base.execution.overlaps",
    s"$Base.streaming",
    s"$Base.plans.logical",
    s"$Base.plans.over",
    s"$Base.plans.streams",
    s"$Base.plans.groups",
    s"$Base.plans.anchored",
    s"$Base.plans.asof",
    s"$Base.plans.refresh",
    s"$Base.plans.dialect",
    s"$Base.plans.checks",
    s"$Base.plans.physical",
    Base,
    "io.muntin"
  )

  private case class Source(name: String, room: String, imports: Set[String])

  private val main = Path.of("src", "main")

  private lazy val sources: Seq[Source] = {
    val files = Files.walk(main).iterator.asScala
      .filter(f => f.toString.endsWith(".scala") || f.toString.endsWith(".java"))
    files.map { file =>
      val text = Files.readString(file)
      val inPackage = "(?m)^package ([\\w.]+)".r.findFirstMatchIn(text).get.group(1)
      val name = file.getFileName.toString.takeWhile(_ != '.')
      // Classes in the folder of a Spark version that are in a package of Spark belong to the
      // boundary.
      val isOurs = s"$inPackage.".startsWith(s"$Base.") || inPackage.startsWith("io.muntin")
      Source(name, room(if (isOurs) s"$inPackage.$name" else s"$Base.spark"), imported(text))
    }.toSeq
  }

  /** The full names below Muntin's packages that a file imports. */
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

  private def scalaFiles(folders: Path*): Seq[Path] =
    folders.flatMap(Files.walk(_).iterator.asScala).filter(_.toString.endsWith(".scala"))

  private def short(room: String): String = room.stripPrefix(Base).stripPrefix(".")

  test("imports point to lower rooms") {
    assert(sources.size > 200)
    val upwards = for {
      source <- sources
      to <- source.imports.map(room)
      if rooms.indexOf(to) > rooms.indexOf(source.room)
    } yield (short(source.room), short(to)) -> source.name
    val found = upwards.groupMap(_._1)(_._2).map { case (arrow, files) => arrow -> files.sorted }
    assert(found === Map.empty)
  }

  test("no line, comments included, is longer than maxColumn of .scalafmt.conf") {
    val conf = Files.readString(Path.of("..", ".scalafmt.conf"))
    val most = "maxColumn = (\\d+)".r.findFirstMatchIn(conf).get.group(1).toInt
    val long = for {
      file <- scalaFiles(main, Path.of("kernel", "src", "main"))
      (line, i) <- Files.readString(file).linesIterator.zipWithIndex if line.length > most
    } yield s"${file.getFileName}:${i + 1}"
    assert(long === Nil)
  }

  test("suites extend MuntinSuite, and not ScalaTest's classes") {
    val ofScalaTest = "(?m)^import org\\.scalatest\\.funsuite".r
    val direct = for {
      file <- scalaFiles(Path.of("src", "test"), Path.of("kernel", "src", "test"))
      if ofScalaTest.findFirstIn(Files.readString(file)).isDefined
    } yield file.getFileName.toString
    assert(direct === Seq("MuntinSuite.scala"))
  }
}
