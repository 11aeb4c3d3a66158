package org.apache.spark.sql.muntin.execution.functions

import java.nio.file.{Files, Path}

import scala.collection.mutable

import io.muntin.kernel.{Abilities, Accumulator, BlockAligned, Followed, NonMonotonic, SavableState}
import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.AlignedTree
import io.muntin.kernel.motions.Motion
import io.muntin.kernel.ranks.Ranking
import io.muntin.kernel.sums.Prefixed
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  RuntimeReplaceable,
  SortOrder,
  WindowExpression
}
import org.apache.spark.sql.catalyst.plans.logical.Window
import org.apache.spark.sql.muntin.{
  AggregatesOfRows,
  FramedSuite,
  RandomTable,
  RunningSpark,
  ScatteredAggregatesSuite
}
import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.rows.ValueType

/** Every function in every kind of frame: its plan declares the abilities of its accumulators. */
class AbilitiesSuite extends AggregatesOfRows {
  private val kinds = Seq(
    FrameKind.Growing,
    FrameKind.Sliding,
    FrameKind.Sliding.copy(isFollowed = true),
    FrameKind.NonMonotonic,
    FrameKind.Pieced,
    FrameKind.Scattered
  )

  private val calls = (FramedSuite.functionsOfAllFamilies ++ ScatteredAggregatesSuite.functions ++
    Seq("nth_value(i32, 2)", "max(i32)", "min(x)", "last(id)", "rate(id, id + 1 + abs(i8))") ++
    Seq("ewm_mean(y, half_life => 3)", "counter_increase(i32)", "time_weighted_avg(y, ts)") ++
    Seq("histogram(y, array(0, 9))", "top_n(s, 2)") ++
    Seq("merge_partial(sum(p))", "merge_partial(var_samp(p))")).distinct

  private val ofRows =
    Seq("row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(3)") ++
      Seq("lag(i32)", "lead(s, 2, s)", "lag(s, 2) IGNORE NULLS", "lead(i32) IGNORE NULLS")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    registerFunctions()
    RandomTable.create(spark, "rows", rows = 10, seed = 7)
    spark.sql(
      "CREATE OR REPLACE TEMP VIEW t AS " +
        "SELECT *, partial(var_samp(y)) OVER (ORDER BY id) AS p FROM rows"
    ): Unit
  }

  private lazy val functions: Seq[(String, FunctionPlan)] = {
    val frame = "OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"
    val columns = calls.map(_ + s" $frame") ++ ofRows.map(_ + " OVER (ORDER BY id)")
    val named = columns.zipWithIndex.map { case (column, i) => s"$column AS c$i" }
    val windows = spark
      .sql(s"SELECT ${named.mkString(", ")} FROM t")
      .queryExecution
      .analyzed
      .collect { case w: Window => w.windowExpressions }
      .flatten
    val byName = windows.map(w => w.name -> w).toMap
    (calls ++ ofRows).zipWithIndex.map { case (call, i) =>
      val window = byName(s"c$i").collect { case w: WindowExpression => replaced(w) }.last
      call -> WindowFunctions.plan(window).getOrElse(fail(s"not planned: $call"))
    }
  }

  // Like the optimizer.
  private def replaced(window: WindowExpression): WindowExpression = window
    .transform { case r: RuntimeReplaceable => r.replacement }
    .asInstanceOf[WindowExpression]

  test("only functions of a row are planned as functions of a row") {
    val (aggregates, others) = functions.partition(_._2.isInstanceOf[AggregatePlan])
    assert(aggregates.map(_._1) === calls && others.map(_._1) === ofRows)
    assert(functions.filter(_._2.isRanked).map(_._1) === ofRows.take(6))
  }

  test("plans declare the abilities of accumulators") {
    for ((call, plan) <- functions; kind <- kinds if !kind.hasHoles || !ofRows.contains(call)) {
      val isNonMonotonic = kind.isNonMonotonic && plan.isNonMonotonic
      val frame = new RecordingFrame(kind.copy(isNonMonotonic = isNonMonotonic))
      plan.buildForRow(frame, 0): Unit
      val made = frame.driven.toSeq
      val said = plan.abilitiesIn(kind)
      val where = s"$call in $kind: said are $said, made are ${made.map(_.getClass.getSimpleName)}"
      // The test drives pieces one by one, and an accumulator that combines their results.
      if (!kind.hasHoles) {
        assert(said.forall(_.saves) === made.forall(_.isInstanceOf[SavableState]), where)
        assert(
          said.forall(a => a.saves && a.anyOrder) === made.forall(saved(_)(_.takesAnyOrder)),
          where
        )
        assert(
          said.forall(a => a.saves && (a.anyOrder || a.lastRowsOnly)) ===
            made.forall(saved(_)(s => s.takesAnyOrder || s.forgets)),
          where
        )
      }
      if (kind.isFollowed) {
        assert(said.forall(_.follows) === made.forall(Followed.supports), where)
      }
      if (isNonMonotonic) {
        assert(made.forall(a => a.isInstanceOf[NonMonotonic] || a.isInstanceOf[Prefixed]), where)
      }
      assert(said.exists(_.blocks) === made.exists(mergesBlocks), where)
      assert(said.nonEmpty && Abilities.names(said).nonEmpty, where)
    }
  }

  test("docs/accumulators.md lists the abilities of the plans") {
    assume(RunningSpark.isNewest)
    val page = Path.of("..", "docs", "accumulators.md")
    val mark = "<!-- table: made by AbilitiesSuite -->\n"
    val text = Files.readString(page)
    val head = text.take(text.indexOf(mark) + mark.length)
    def leaping(call: String, plan: FunctionPlan) =
      if (ofRows.contains(call)) ""
      else if (plan.isNonMonotonic) Abilities.names(plan.abilitiesIn(FrameKind.NonMonotonic))
      else "chains"
    val row = (call: String, plan: FunctionPlan) => {
      def names(kind: FrameKind) = Abilities.names(plan.abilitiesIn(kind))
      val holes =
        if (ofRows.contains(call)) Seq("", "")
        else Seq(names(FrameKind.Pieced), names(FrameKind.Scattered))
      val saved = if (plan.abilitiesIn(FrameKind.Growing).forall(_.saves)) "state" else "rows"
      val cells = Seq(s"`${call.replace("|", "\\|")}`", names(FrameKind.Sliding)) ++
        Seq(names(FrameKind.Growing), leaping(call, plan)) ++ holes :+ saved
      cells.mkString("| ", " | ", " |")
    }
    val title = Seq(
      "| function | rows leave | no row leaves | ends by row | holes | rows leave in any order | " +
        "a stream keeps |",
      "|---|---|---|---|---|---|---|"
    )
    val shown = functions.filterNot { case (call, _) => call.contains(" FILTER ") }
    val table = (title ++ shown.map(row.tupled)).mkString("", "\n", "\n")
    if (text != head + table) {
      val current = Path.of("target", "accumulators.md")
      Files.writeString(current, head + table)
      fail(s"$page is not current: copy $current over it")
    }
  }

  private def saved(accumulator: Accumulator)(is: SavableState => Boolean): Boolean =
    accumulator match {
      case s: SavableState => is(s)
      case _ => false
    }

  private def mergesBlocks(accumulator: Accumulator): Boolean = accumulator match {
    case _: BlockAligned | _: AlignedTree[_] => true
    case _ => false
  }

  /** Creates columns of the requested types, and records the driven accumulators. */
  private final class RecordingFrame(kind: FrameKind, parent: Option[RecordingFrame] = None)
      extends RowFrameBuilder {
    val driven: mutable.Buffer[Accumulator] =
      parent.fold(mutable.Buffer.empty[Accumulator])(_.driven)
    private val parts = mutable.HashMap.empty[AnyRef, AnyRef]
    private val columns = mutable.HashMap.empty[Expression, Column]

    override def memory: Memory = Memory.Unlimited

    override val motion: Motion = new Motion {
      override def evicts: Boolean = kind.evicts
      override def isNonMonotonic: Boolean = kind.isNonMonotonic
      override def start: Long = 0L
      override def end: Long = 0L
      override def floor: Long = 0L
      override def startPartition(): Unit = ()
      override def arrive(arrived: Long): Unit = ()
    }

    override def column(expression: Expression): Column = columns.getOrElseUpdate(
      expression.canonicalized,
      ValueType(expression.dataType).column(memory, expression.nullable)
    )

    override def objectColumn(expression: Expression): Column =
      ValueType.asObject(expression.dataType).column(memory, expression.nullable)

    override def accumulator[A <: Accumulator](key: AnyRef)(make: => A): A = shared(key) {
      val made = make
      driven += made
      made
    }

    override def shared[A <: AnyRef](key: AnyRef)(make: => A): A =
      parts.getOrElse(key, { val made = make; parts(key) = made; made }).asInstanceOf[A]

    override lazy val pieces: Seq[FrameBuilder] =
      if (kind.hasHoles && !kind.isScattered) {
        Seq.fill(2)(new RecordingFrame(FrameKind.Sliding, Some(this)))
      } else Seq(this)

    override def hasHoles: Boolean = kind.hasHoles
    override def isFollowed: Boolean = kind.isFollowed
    override lazy val slots: Option[Slots] = Option.when(kind.isScattered)(new Slots(memory))
    override lazy val ranking: Ranking = new Ranking(longs)
    override def peers(order: Seq[SortOrder]): LongColumn = longs
    override def currentColumn(expression: Expression): Column = column(expression)
    override def counted: Option[LongColumn] = None
    override def currentRow: Long = 0L

    private def longs = new LongColumn(memory, nullable = false)
  }
}
