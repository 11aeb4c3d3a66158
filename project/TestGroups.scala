import sbt._
import sbt.Tests.{Group, SubProcess}

/** Suites in several processes, two of which run at a time: most of a suite waits for one thread. */
object TestGroups {

  /** The larger a suite's source, the longer it runs: each goes where there is the least as yet. */
  def apply(
      suites: Seq[TestDefinition],
      sources: File,
      options: ForkOptions,
      count: Int
  ): Seq[Group] = {
    val sizes = (sources ** "*.scala").get.map(f => f.base -> f.length).toMap
    val weighed = suites.map(s => s -> sizes.getOrElse(s.name.split('.').last, 0L))
    val empty = Seq.fill(count)(Vector.empty[(TestDefinition, Long)])
    val filled = weighed.sortBy { case (s, size) => (-size, s.name) }.foldLeft(empty) {
      (groups, suite) =>
        val least = groups.indices.minBy(groups(_).map(_._2).sum)
        groups.updated(least, groups(least) :+ suite)
    }
    filled.zipWithIndex.map { case (group, i) =>
      Group(s"suites ${i + 1}", group.map(_._1), SubProcess(options))
    }
  }
}
