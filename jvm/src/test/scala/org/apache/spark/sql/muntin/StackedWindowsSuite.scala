package org.apache.spark.sql.muntin

import scala.util.Random

import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.over.MuntinWindowExec

/**
 * Windows that read the results of other windows, over one sort: one row passes through all of
 * them.
 */
final class StackedWindowsSuite extends MuntinSession {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    RandomTable.create(spark, "t", rows = 300, seed = 17)
    spark.range(0, 500, 1, 1).selectExpr(
      "id",
      "id % 5 AS k",
      "id % 7 AS x"
    ).createOrReplaceTempView("few")
  }

  /** Nested SELECTs; the last of them may read all results. */
  private def stacked(from: String, window: String, functions: String*): String =
    functions.zipWithIndex.foldLeft(s"SELECT * FROM $from") { case (below, (function, i)) =>
      s"SELECT *, $function OVER ($window) AS r$i FROM ($below)".replace(
        ") OVER ( ROWS",
        ") OVER (ROWS"
      )
    }

  private def windows(made: DataFrame): Seq[MuntinWindowExec] = muntinNodes(made).reverse

  private val byKey = "PARTITION BY k ORDER BY id"

  test("a window reserves fields for the results of the window above") {
    // The number of fields that the rows of the lowest window have after its columns; None if it
    // reserves none.
    def reserved(frame: String, functions: String*): Option[Set[Int]] =
      withConf("spark.sql.adaptive.enabled" -> "false") {
        val lowest = windows(spark.sql(stacked("t", s"$byKey $frame", functions: _*))).head
        Option.when(lowest.canReserve(3)) {
          lowest.reserveFields(3).map(_.numFields).collect().toSet.map {
            (fields: Int) => fields - lowest.output.size
          }
        }
      }
    val reading = "max(r0)"
    for (frame <- Seq("ROWS 2 PRECEDING", "ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING", "")) {
      assert(reserved(frame, "sum(i32)", reading) === Some(Set(3)), frame)
      // Results of variable size are joined into a separate row.
      assert(reserved(frame, "max(s)", reading) === None, frame)
      assert(reserved(frame, "1 + sum(i32)", reading) === Some(Set(3)), frame)
    }
  }

  test("a row that waits for no row does not wait in any window") {
    def spilled(functions: (String, String)*): Seq[Long] =
      withConf(MuntinConf.OverForceSpill.key -> "true") {
        val query = functions.zipWithIndex.foldLeft("SELECT * FROM few") {
          case (below, ((function, frame), i)) =>
            s"SELECT *, $function OVER ($byKey $frame) AS r$i FROM ($below)"
        }
        checkSame(query): Unit
        val made = spark.sql(query)
        assert(made.collect().length === 500)
        windows(made).map(_.metrics("spillSize").value)
      }
    val (few, all) = (100L * 8L, 500L * 8L)
    val (past, default) = ("ROWS 3 PRECEDING", "")
    val ahead = "ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING"
    val three = spilled("lag(x)" -> "", "max(r0)" -> default, "min(r1)" -> default)
    assert(three.forall(_ < few), three)
    assert(spilled("sum(x)" -> past, "max(r0)" -> default).forall(_ < few))
    // After waiting rows, the next row is unknown.
    assert(spilled("sum(x)" -> ahead, "max(r0)" -> default).forall(_ > all))
    assert(spilled("sum(x)" -> default, "max(r0)" -> ahead).map(_ > all) === Seq(false, true))
  }

  test("peers wait for each other in each window") {
    val byFlag = "PARTITION BY k ORDER BY flag"
    sameRows(stacked("t", byFlag, "sum(i32)", "max(r0)", "count(r1)")): Unit
    sameRows(stacked("t", "ORDER BY i8", "count(*)", "sum(r0)")): Unit
  }

  test("results of more fields than the bits of one word") {
    def functions(name: String, read: String, some: Range) =
      some.map(n => s"max(if(id % $n = 0, $read, NULL)) OVER ($byKey) AS $name$n").mkString(", ")
    for (some <- Seq(59 to 62, 40 to 100)) {
      val below = s"SELECT *, ${functions("a", "x", 1 to some.head)} FROM few"
      sameRows(s"SELECT *, ${functions("b", "a1", some)} FROM ($below)"): Unit
    }
  }

  private val frames = Seq(
    "",
    "ROWS 2 PRECEDING",
    "ROWS BETWEEN 1 PRECEDING AND 3 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
  )
  private val functions = Seq("sum", "count", "max", "min", "first_value", "last_value", "avg")

  for (seed <- Repeats.seeds(12))
    test(s"random stacks, $seed") {
      val random = new Random(seed.toLong)
      def pick[T](some: Seq[T]) = some(random.nextInt(some.size))
      // With and without ties; both operators read ties in the same order.
      val order = pick(Seq("id", "i8, id", "flag"))
      val own = if (order == "flag") frames.filter(_.startsWith("RANGE")) :+ "" else frames
      val columns = Seq("i32", "y", "d18", "flag", "ts", "s")
      val numbers = Seq("i32", "y", "d18")
      val query = (0 to 1 + random.nextInt(3)).foldLeft("SELECT * FROM t") { (below, i) =>
        val results = Seq.tabulate(1 + random.nextInt(3)) { j =>
          val counted = (0 until i).map(n => s"r${n}_0")
          val function = pick(if (order == "flag") functions.take(4) else functions)
          val read =
            if (function == "sum" || function == "avg") pick(numbers)
            else pick(columns ++ counted ++ counted)
          s"$function($read) OVER (PARTITION BY k ORDER BY $order ${pick(own)}) AS r${i}_$j"
        }
        s"SELECT *, ${results.mkString(", ")} FROM ($below)"
      }
      val forced = random.nextBoolean().toString
      withConf(MuntinConf.OverForceSpill.key -> forced)(sameRows(query)): Unit
    }
}
