package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.MuntinSuite

/**
 * The clocks of two consecutive operators, over all streams of up to five events: a row of one of
 * two keys, at one of three times, or the end of a micro-batch. The operators are models with a
 * task per key; their clocks, and the use of time in a task, are the main code.
 */
final class StreamClockSuite extends MuntinSuite {
  import StreamClockSuite._

  /**
   * Streams that differ only in the order of a micro-batch's rows, or in the names of keys, are one
   * stream.
   */
  private val streams: Seq[Seq[Seq[Row]]] = {
    val events = None +: (for (key <- Keys; t <- 1L to 3L) yield Some(Row(key, t)))
    def longer(streams: Seq[Seq[Seq[Row]]]): Seq[Seq[Seq[Row]]] = (for {
      stream <- streams
      isEmpty = stream.forall(_.isEmpty)
      event <- events
      if !isEmpty || event.forall(_.key == Keys.head)
    } yield event.fold(stream :+ Nil) { row =>
      stream.init :+ (stream.last :+ row).sortBy(r => (r.time, r.key))
    }).distinct
    Iterator.iterate(Seq(Seq(Seq.empty[Row])))(longer).take(6).flatten.toSeq
  }

  // At the end the stream continues, so that no row must wait.
  private val further: Seq[Seq[Row]] =
    Seq(10L, 20L).flatMap(t => Seq(Keys.map(Row(_, t)), Nil))

  private val queries: Seq[Query] = Seq(
    Query("lead below", Seq(None)),
    Query("a frame with a lookahead of 1 below", Seq(Some(1L))),
    Query("lead and the source's rows below", Seq(None), isMixed = true),
    Query("windows of a UNION below, by arrival", Seq(Some(0L), Some(0L)), byArrival = true),
    Query("windows below, by arrival", Seq(Some(0L)), byArrival = true)
  )

  queries.foreach { query =>
    test(s"${query.name}: time does not decrease, no row is late, and all rows are emitted") {
      streams.foreach { stream =>
        val once = new Run(query, stream, isTwice = false)
        if (once.emitted.sorted != once.taken.sorted) fail(s"rows wait forever: $stream")
        // A repeated task reports again, and so does a repeated micro-batch, with new clocks.
        val isShort = stream.size + stream.flatten.size <= 5
        if (isShort && new Run(query, stream, isTwice = true).emitted != once.emitted)
          fail(s"a restart changes the results: $stream")
      }
    }
  }

  /** Runs a stream through a query; each micro-batch runs to its end twice with `isTwice`. */
  private final class Run(query: Query, stream: Seq[Seq[Row]], isTwice: Boolean) {
    private var lowers = query.delays.map(Operator(_, Map.empty, Map.empty, Map.empty))
    private var upper = Operator(Some(0L), Map.empty, Map.empty, Map.empty)
    private var bound = Long.MinValue
    private var watermarks = (0L, 0L)
    private var newest = query.delays.map(_ => Long.MinValue)

    /** The rows below 10 that are neither late nor out of order. */
    var taken: Seq[Row] = Nil

    /** The rows below 10 that the upper operator emits. */
    var emitted: Seq[Row] = Nil

    (stream ++ further).foreach { rows =>
      if (isTwice) batch(rows, isLast = false)
      batch(rows, isLast = true)
      watermarks = (watermarks._2, (watermarks._2 +: rows.map(_.time)).max)
    }

    private def begun(clock: StreamClock, byArrival: Boolean): StreamClock = {
      val (late, passed) = watermarks
      clock.begin(byArrival, _ => ())(
        StreamTime(
          Option.when(!query.byArrival)(late),
          Option.when(!query.byArrival)(passed),
          byArrival,
          dropsUnordered = true
        ),
        None
      )
      clock
    }

    /** The rows of the source that LateRowsExec does not drop; it reports their times. */
    private def inTime(clock: StreamClock, rows: Seq[Row]): Seq[Row] = {
      rows.foreach(row => clock.newest.foreach(_.update(row.time)))
      if (query.byArrival) rows else rows.filter(_.time >= watermarks._1)
    }

    private def batch(rows: Seq[Row], isLast: Boolean): Unit = {
      val above = begun(new StreamClock(usesUpstream = true, query.isMixed), byArrival = false)
      val sources = lowers.indices.map { i =>
        rows.filter(row => lowers.size == 1 || row.key == Keys(i))
      }
      val below = lowers.zip(sources).map { case (lower, source) =>
        val clock = begun(new StreamClock(), query.byArrival)
        val own = inTime(clock, source)
        val stepped = lower.step(clock.close(haveEnded = true), own)
        val reports = if (isTwice) stepped.reports.reverse ++ stepped.reports else stepped.reports
        reports.foreach(above.upstream.get.update)
        stepped
      }
      val others = if (query.isMixed) inTime(above, rows) else Nil
      val arrived = below.flatMap(_.emitted) ++ others
      arrived.find(_.time < bound).foreach(row => fail(s"late: $row of $stream"))
      val time = above.close(haveEnded = true)
      if (time.watermark.get < bound) fail(s"time decreases in $stream")
      val stepped = upper.step(time, arrived)
      if (isLast) {
        bound = time.watermark.get
        lowers = below.map(_.operator)
        upper = stepped.operator
        // The expected rows, by definition.
        val inOrder = sources.zip(newest).flatMap { case (source, before) =>
          source.filter(_.time >= (if (query.byArrival) before else watermarks._1))
        }
        newest = sources.zip(newest).map { case (source, before) =>
          (before +: source.map(_.time)).max
        }
        taken ++= (inOrder ++ others).filter(_.time < 10L)
        emitted ++= stepped.emitted.filter(_.time < 10L)
      }
    }
  }

  test("a source that runs as long as its reader: the newest row and a bound are unknown") {
    def begun(usesUpstream: Boolean): StreamClock = {
      val clock = new StreamClock(usesUpstream)
      clock.begin(true, _ => ())(
        StreamTime(None, None, byArrival = true, dropsUnordered = false),
        None
      )
      clock
    }
    val clock = begun(usesUpstream = false)
    clock.newest.foreach(_.update(5L))
    val time = clock.close(haveEnded = false)
    assert(time.newestSeen === Long.MinValue)
    assert(time.reached(Long.MinValue, time.newestSeen).bound === None)
    Seq(true, false).foreach { haveEnded =>
      val error = intercept[IllegalStateException](begun(usesUpstream = true).close(haveEnded))
      assert(error.getMessage.contains("have not reported their bound"))
    }
  }

  test("a clock begins once and closes once, and waits for tasks only if they report") {
    val clock = new StreamClock()
    assert(intercept[IllegalStateException](clock.close(true)).getMessage.contains("not begun"))
    Seq(7L, 8L).foreach { t =>
      clock.begin(t == 7L, _ => ())(
        StreamTime(None, Some(t), byArrival = false, dropsUnordered = false),
        None
      )
    }
    clock.newest.foreach(_.update(9L))
    var ended = 0
    def end(): Boolean = {
      ended += 1
      true
    }
    val time = clock.close(end())
    assert((time.watermark, time.newestSeen) === ((Some(7L), 9L)))
    clock.newest.foreach(_.update(10L))
    assert(clock.close(end()) === time)
    val quiet = new StreamClock()
    quiet.begin(false, _ => ())(time, None)
    assert(quiet.close(end()).watermark === Some(7L))
    assert(ended === 1)
  }
}

private object StreamClockSuite {
  final case class Row(key: Int, time: Long)

  object Row {
    implicit val ordering: Ordering[Row] = Ordering.by(row => (row.time, row.key))
  }

  val Keys: Seq[Int] = Seq(0, 1)

  /**
   * An operator over other operators that share the keys, one for each of `delays`.
   *
   * @param delays
   *   the delay between a row's time and its emission; None: until the next row of its key arrives
   * @param isMixed
   *   whether the operator also receives the rows of the source
   */
  final case class Query(
      name: String,
      delays: Seq[Option[Long]],
      isMixed: Boolean = false,
      byArrival: Boolean = false
  )

  /** The results of a micro-batch in an operator. */
  final case class Stepped(operator: Operator, emitted: Seq[Row], reports: Seq[Long])

  /** A stateful operator, with the state of each key: waiting rows, and open rows. */
  final case class Operator(
      delay: Option[Long],
      waiting: Map[Int, Seq[Row]],
      open: Map[Int, Seq[Row]],
      newest: Map[Int, Long]
  ) {
    def step(closed: StreamTime, rows: Seq[Row]): Stepped = {
      val tasks = Keys.map { key =>
        val before = newest.getOrElse(key, Long.MinValue)
        val now = math.max(before, closed.newestSeen)
        val time = closed.reached(before, now)
        val bound = time.bound.getOrElse(Long.MinValue)
        val own = rows.filter(_.key == key)
        val taken = if (time.byArrival) own.filter(_.time >= time.orderedFrom) else own
        val (released, waits) = (waiting.getOrElse(key, Nil) ++ taken)
          .partition(row => time.byArrival || row.time < bound)
        val known = open.getOrElse(key, Nil) ++ released.sorted
        val (out, stays) = delay match {
          case Some(lag) => known.partition(_.time + lag < bound)
          case None => known.splitAt(known.size - 1)
        }
        val begins = if (delay.isDefined) Nil else stays.map(_.time)
        val report = (time.resultsBound(delay.getOrElse(0L)) +: begins).min
        (key, now, waits, stays, out, report)
      }
      Stepped(
        Operator(
          delay,
          tasks.map(t => t._1 -> t._3).toMap,
          tasks.map(t => t._1 -> t._4).toMap,
          tasks.map(t => t._1 -> t._2).toMap
        ),
        tasks.flatMap(_._5),
        tasks.map(_._6)
      )
    }
  }
}
