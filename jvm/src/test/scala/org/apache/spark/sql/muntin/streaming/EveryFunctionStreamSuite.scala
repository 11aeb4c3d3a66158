package org.apache.spark.sql.muntin.streaming

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.DataFrame
import org.apache.spark.sql.muntin.{EveryFunction, EveryTable, EveryWindow, Repeats}
import org.apache.spark.sql.muntin.EveryWindow.{Answers => Runs, Grows, Origin, Refused}
import org.apache.spark.sql.muntin.conf.MuntinConf

/**
 * Every function in every kind of window, over a stream that is stopped and resumes from its
 * checkpoint, in both orders: the results equal a batch, or the query is rejected.
 */
class EveryFunctionStreamSuite extends StreamSession with EveryTable {
  override protected def settings: Map[String, String] =
    super[StreamSession].settings ++ super[EveryTable].settings

  private lazy val functions = EveryFunction.all

  private lazy val on = whereRowsStay(functions.filter(_.kind != EveryFunction.Elsewhere))

  private def saves(function: EveryFunction): Boolean = on(function).forall(_.saves)

  private val ofWholePartition = Set("percent_rank()", "cume_dist()", "ntile(3)")

  /** A row of another key that advances time past all windows. */
  private def last(second: Long): Row = Row.fromSeq(schema.map(_.name).map {
    case "id" => -second.toInt
    case "k" => "end"
    case "at" => java.sql.Timestamp.from(java.time.Instant.ofEpochSecond(Origin + second))
    case "until" => null
    case other => data.head.getAs[Any](other)
  })

  private def batches(isSorted: Boolean): Seq[Seq[Row]] = {
    val random = new Random(5)
    val (some, others) = data.splitAt(data.size * 2 / 3)
    Seq(some, others).map(b => if (isSorted) b else random.shuffle(b)) ++
      Seq(1000L, 2000L).map(s => Seq(last(s)))
  }

  private def marked(query: String)(rows: DataFrame): DataFrame = {
    rows.withWatermark("at", "20 seconds").createOrReplaceTempView("t")
    spark.sql(query)
  }

  private def stream: DataFrame = new Source(schema).rows

  /** The last windows of each key. */
  private def waiting(window: EveryWindow, count: Int): Set[String] =
    window.rows(members).map(_._1).groupBy(_.takeWhile(_ != '|')).values
      .flatMap(_.sortBy(_.dropWhile(_ != '|').drop(1).toInt).takeRight(count)).toSet

  private def run(window: EveryWindow, some: Seq[EveryFunction], byArrival: Boolean, count: Int) =
    if (some.isEmpty) Nil
    else answers(window, some, waiting(window, count)) { some =>
      streamed(schema, batches(byArrival), Set(1))(marked(sql(window, some)))
        .flatten.filterNot(_.getString(0).startsWith("end|"))
    }

  private def refusals(window: EveryWindow, some: Seq[EveryFunction], says: String): Seq[String] =
    some.zipWithIndex.filter { case (_, i) => Repeats.selects(i, 4) }.flatMap { case (f, _) =>
      unclear(s"$f in $window", says)(marked(sql(window, Seq(f)))(stream))
    }

  private val selected = Seq("watermark", "arrival").map { order =>
    def hasResults(window: EveryWindow) = window.onStream match {
      case Runs(_, refused) => order == "watermark" || refused.isEmpty
      case Grows(_) => true
      case Refused(_) => false
    }
    val selected = sampledTests(EveryWindow.all, most = 10, isRequired) { window =>
      s"in the order of $order: $window"
    }(check(_, order)).filter(hasResults)

    test(s"make test runs every function in the order of $order") {
      assert(unselected(EveryWindow.all.filter(hasResults), selected) === Nil)
    }
    selected
  }

  override protected def compared: Seq[EveryWindow] = selected.flatten.distinct

  private def check(window: EveryWindow, order: String) = {
    val byArrival = order == "arrival"
    val standing = functions.filter(f => window.kinds(f.kind))
    val wrong = withConf(MuntinConf.StreamOrder.key -> order)(window.onStream match {
      case Runs(_, Some(message)) if byArrival => refusals(window, standing.take(5), message)
      case Runs(count, _) => run(window, standing, byArrival, count)
      case Grows(message) =>
        val (ofRows, aggregates) = standing.partition(_.kind == EveryFunction.OfRow)
        val (whole, ahead) = ofRows.partition(f => ofWholePartition(f.call))
        val (some, others) = aggregates.partition(saves)
        run(window, some, byArrival, 0) ++ refusals(window, others, message) ++
          run(window, ahead, byArrival, 4) ++ refusals(
            window,
            whole,
            "[MUNTIN_UNBOUNDED_FRAME_ON_STREAM]"
          )
      case Refused("tied") if byArrival => Nil
      case Refused("watermark") => Nil
      case Refused(message) => refusals(window, standing.take(5), message)
    })
    assert(wrong.mkString("\n", "\n", "\n").trim === "")
  }
}
