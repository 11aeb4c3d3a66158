package io.muntin.kernel

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/**
 * The packages of the kernel, from the lowest to the highest. A file imports only from its own
 * package and from lower packages, so packages do not import each other in a circle. The lowest
 * packages contain the shared types and the memory.
 */
class KernelWallsSuite extends MuntinSuite {
  private val Base = "io.muntin.kernel"

  private val packages = Seq(
    s"$Base.memory",
    Base,
    s"$Base.columns",
    s"$Base.sorting",
    s"$Base.fields",
    s"$Base.motions",
    s"$Base.merging",
    s"$Base.sums",
    s"$Base.lists",
    s"$Base.ranks",
    s"$Base.extremes",
    s"$Base.distinct"
  )

  private val imports = "(?m)^import (io\\.muntin\\.kernel(?:\\.[a-z]\\w*)*)".r

  private def height(name: String): Int = {
    val found = packages.indexOf(name)
    assert(found >= 0, s"$name is not in the order of packages")
    found
  }

  test("packages import from lower packages") {
    val files = Files.walk(Path.of("src", "main")).iterator.asScala
      .filter(_.toString.endsWith(".scala")).toSeq
    assert(files.size > 100)
    val upwards = for {
      file <- files
      text = Files.readString(file)
      own = "(?m)^package ([\\w.]+)".r.findFirstMatchIn(text).get.group(1)
      to <- imports.findAllMatchIn(text).map(_.group(1))
      if height(to) > height(own)
    } yield s"${file.getFileName}: $own imports $to"
    assert(upwards === Nil)
  }
}
