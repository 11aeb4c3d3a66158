package org.apache.spark.sql.muntin

import org.apache.spark.sql.muntin.EveryFunction.{Aggregate, Framed, Kind, OfRow}

/**
 * Windows of one kind: their query, and the rows in each window, by definition.
 *
 * @param query
 *   over the view `t`, of these functions under these names; the result has the column `w`, the
 *   window's name: its key, and the row or the second that it belongs to
 * @param rows
 *   the rows of each window by its name, in their order; None if a window has no result
 * @param kinds
 *   the functions that are allowed in it
 * @param onStream
 *   how it runs on a stream
 * @param unframed
 *   the functions that run and ignore its frame
 */
final case class EveryWindow(
    name: String,
    query: Seq[(String, String)] => String,
    rows: Seq[EveryWindow.Member] => Seq[(String, Option[Seq[EveryWindow.Member]])],
    kinds: Set[Kind],
    onStream: EveryWindow.OnStream,
    unframed: Set[Kind] = Set.empty
) {
  override def toString: String = name
}

object EveryWindow {

  /** The values of a row that determine its windows; times in seconds. */
  final case class Member(
      id: Int,
      key: String,
      second: Int,
      tied: Int,
      until: Option[Int],
      flag: Boolean
  )

  sealed trait OnStream

  /**
   * Every window has a result except the last n windows of a key, which wait for more rows. In the
   * order of arrival it may be rejected, with a message that contains this text.
   */
  final case class Answers(waiting: Int = 0, refusedByArrival: Option[String] = None)
      extends OnStream

  /** No row leaves a window: functions that would keep every row are rejected. */
  final case class Grows(message: String) extends OnStream

  /** No function has such windows on a stream, and the message contains this text. */
  final case class Refused(message: String) extends OnStream

  val Origin = 1704067200L

  private val key = "coalesce(k, 'null')"

  private def second(time: String): String = s"(unix_seconds($time) - $Origin)"

  private def listed(functions: Seq[(String, String)])(call: String => String): String =
    functions.map { case (name, f) => s"${call(f)} AS $name" }.mkString(",\n  ")

  /**
   * Returns each row's window; `rows` selects the rows of its key in the window, in their order.
   */
  private def ofRows(
      name: String,
      call: String => String,
      onStream: OnStream,
      kinds: Set[Kind] = Set(Aggregate)
  )(rows: (Member, IndexedSeq[Member]) => Option[Seq[Member]]): EveryWindow = EveryWindow(
    name,
    functions => s"SELECT concat($key, '|', id) AS w, ${listed(functions)(call)} FROM t",
    all =>
      for {
        partition <- all.groupBy(_.key).values.map(_.sortBy(_.second).toIndexedSeq).toSeq
        row <- partition
      } yield s"${row.key}|${row.id}" -> rows(row, partition),
    kinds,
    onStream
  )

  private def over(order: String, frame: String)(call: String): String =
    s"$call OVER (PARTITION BY k $order $frame)"

  /** A frame of SQL. */
  private def frame(order: String, frame: String, onStream: OnStream, kinds: Set[Kind] = frames)(
      isInside: (Member, Member, Int) => Boolean
  ): EveryWindow =
    ofRows(s"$order $frame", over(order, frame), onStream, kinds)(where(isInside))

  private def frames: Set[Kind] = Set(Aggregate, Framed)

  /** The frame of rows at this distance from the row. */
  private def where(isInside: (Member, Member, Int) => Boolean)(
      row: Member,
      partition: IndexedSeq[Member]
  ): Option[Seq[Member]] = {
    val here = partition.indexOf(row)
    Some(partition.indices.filter(i => isInside(row, partition(i), i - here)).map(partition(_)))
  }

  private def framed(order: String, frame: String, changes: String, onStream: OnStream)(
      isInside: (Member, Member, Int) => Boolean
  ): EveryWindow = ofRows(
    s"framed(…, $changes) $order $frame",
    call => over(order, frame)(s"framed($call, $changes)"),
    onStream
  )(where(isInside))

  private val byTime = "ORDER BY at"
  private val byTies = "ORDER BY tied"
  private val noTies = Refused("tied")
  private val forEver = "[MUNTIN_UNBOUNDED_STATE_ON_STREAM]"
  private val ofRow = Refused("[MUNTIN_COMPUTED_FRAME_ON_STREAM]")
  private val noEnd = Refused("[MUNTIN_UNBOUNDED_FRAME_ON_STREAM]")

  private val overRows = Seq(
    frame(byTime, "ROWS 4 PRECEDING", Answers())((_, _, d) => d >= -4 && d <= 0),
    frame(byTime, "ROWS BETWEEN 60 PRECEDING AND 2 PRECEDING", Answers())((_, _, d) =>
      d >= -60 && d <= -2
    ),
    frame(byTime, "ROWS BETWEEN 2 FOLLOWING AND 5 FOLLOWING", Answers(waiting = 5))((_, _, d) =>
      d >= 2 && d <= 5
    ),
    frame(byTime, "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING", Grows(forEver))((_, _, d) =>
      d < 0
    ),
    frame(byTime, "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", noEnd)((_, _, d) => d >= 0),
    frame(
      byTime,
      "RANGE BETWEEN INTERVAL 9 SECONDS PRECEDING AND INTERVAL 2 SECONDS FOLLOWING",
      Answers()
    )((row, other, _) => other.second >= row.second - 9 && other.second <= row.second + 2),
    frame(
      "ORDER BY row_time(at)",
      "RANGE BETWEEN 70000000 PRECEDING AND 20000000 PRECEDING",
      Answers()
    )((row, other, _) => other.second >= row.second - 70 && other.second <= row.second - 20),
    frame(byTies, "RANGE BETWEEN INTERVAL 6 SECONDS PRECEDING AND CURRENT ROW", noTies)(
      (row, other, _) => other.tied >= row.tied - 6 && other.tied <= row.tied
    ),
    frame(byTies, "", noTies, frames + OfRow)((row, other, _) => other.tied <= row.tied),
    frame(byTime, "", Grows(forEver), frames + OfRow)((_, _, d) => d <= 0),
    frame("", "", Refused("[MUNTIN_MISSING_ORDER_BY_ON_STREAM]"), Set(Aggregate))((_, _, _) =>
      true
    ),
    frame(byTime, "ROWS BETWEEN id % 7 PRECEDING AND id % 3 FOLLOWING", ofRow)((row, _, d) =>
      d >= -(row.id % 7) && d <= row.id % 3
    ).copy(unframed = Set(OfRow)),
    frame(
      byTies,
      "RANGE BETWEEN id % 9 * INTERVAL 1 SECOND PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW",
      noTies
    )((row, other, _) =>
      other.tied >= row.tied - row.id % 9 && other.tied <= row.tied && other.id != row.id
    ).copy(unframed = Set(OfRow))
  )

  private val around = "RANGE BETWEEN INTERVAL 6 SECONDS PRECEDING AND INTERVAL 6 SECONDS FOLLOWING"

  private def isAround(row: Int, other: Int): Boolean = math.abs(row - other) <= 6

  private val changed = Seq(
    framed(byTies, around, "exclude => 'group'", noTies)((row, other, _) =>
      isAround(row.tied, other.tied) && other.tied != row.tied
    ),
    framed(
      byTies,
      "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
      "exclude => 'ties'",
      noTies
    )((row, other, _) => other.tied != row.tied || other.id == row.id),
    framed(byTies, around, "arrival => id", noTies)((row, other, _) =>
      isAround(row.tied, other.tied) && (other.tied != row.tied || other.id <= row.id)
    ),
    framed(byTime, around, "exclude => 'current row'", Answers())((row, other, _) =>
      isAround(row.second, other.second) && other.id != row.id
    ),
    framed(byTime, around, "closed => 'neither'", Answers())((row, other, _) =>
      math.abs(row.second - other.second) < 6
    ),
    ofRows(
      "framed(…, complete => true)",
      call => over(byTime, "ROWS 3 PRECEDING")(s"framed($call, complete => true)"),
      Answers()
    )(complete),
    ofRows(
      "is_complete",
      call => {
        val result = over(byTime, "ROWS 3 PRECEDING")(call)
        s"IF(is_complete($result), $result, NULL)"
      },
      Answers()
    )(complete),
    ofRows("sliding", call => over(byTime, "")(s"sliding($call, 4, flag)"), Answers()) {
      (row, partition) =>
        val found = partition.takeWhile(_.second <= row.second).filter(_.flag)
        Option.when(found.size >= 4)(found.takeRight(4))
    },
    ofRows("since", call => over(byTime, "")(s"since($call, flag, 2)"), Answers()) {
      (row, partition) =>
        val before = partition.takeWhile(_.second < row.second)
        val closing = before.filter(_.flag).takeRight(2)
        val from = if (closing.size < 2) Int.MinValue else closing.head.second
        Some((before :+ row).filter(_.second > from))
    },
    ofRows(
      "since, closed => 'left'",
      call => over(byTime, "")(s"since($call, flag, 2, closed => 'left')"),
      Answers()
    ) { (row, partition) =>
      val all = partition.takeWhile(_.second <= row.second)
      val opening = all.filter(_.flag).takeRight(2)
      val from = if (opening.size < 2) Int.MinValue else opening.head.second
      Some(all.filter(_.second >= from))
    },
    ofRows(
      "session",
      call => over(byTime, "")(s"session($call, INTERVAL 4 SECONDS)"),
      Answers()
    )((row, partition) =>
      Some(bySession(4)(partition.takeWhile(_.second <= row.second)).last._2)
    )
  )

  /** Returns the runs of rows at most `gap` seconds apart, each by the second of its first row. */
  private def bySession(gap: Int)(rows: IndexedSeq[Member]): Seq[(Int, IndexedSeq[Member])] =
    rows.foldLeft(Vector.empty[IndexedSeq[Member]]) {
      case (found :+ last, row) if row.second - last.last.second <= gap => found :+ (last :+ row)
      case (found, row) => found :+ Vector(row)
    }.map(rows => rows.head.second -> rows)

  private def complete(row: Member, partition: IndexedSeq[Member]): Option[Seq[Member]] = {
    val upTo = partition.takeWhile(_.second <= row.second)
    Option.when(upTo.size >= 4)(upTo.takeRight(4))
  }

  /** Windows of a GROUP BY; `at` is the second that names a window. */
  private def grouped(
      window: String,
      at: String,
      onStream: OnStream,
      more: String = "true"
  )(rows: IndexedSeq[Member] => Seq[(Int, Seq[Member])]): EveryWindow = {
    val name = window.takeWhile(_ != '(')
    EveryWindow(
      window,
      functions =>
        s"SELECT concat($key, '|', $at) AS w, ${functions.map(_._1).mkString(", ")} FROM (" +
          s"SELECT k, $name AS of, ${listed(functions)(identity)} FROM t GROUP BY k, $window) " +
          s"WHERE $more",
      all =>
        for {
          group <- all.groupBy(_.key).values.map(_.sortBy(_.second).toIndexedSeq).toSeq
          (at, in) <- rows(group)
        } yield s"${group.head.key}|$at" -> Some(in),
      Set(Aggregate),
      onStream
    )
  }

  private def byOpening(size: Int, advance: Int)(group: Seq[Member]): Seq[(Int, Seq[Member])] =
    (-size to 300).filter(_ % advance == 0)
      .map(open => open -> group.filter(r => r.second >= open && r.second < open + size))
      .filter(_._2.nonEmpty)

  private def byFirst(size: Int)(group: Seq[Member]): Seq[(Int, Seq[Member])] =
    if (group.isEmpty) Nil
    else {
      val (in, rest) = group.span(_.second < group.head.second + size)
      (group.head.second -> in) +: byFirst(size)(rest)
    }

  private val newest = 180

  private def byTick(span: Option[Int])(group: Seq[Member]): Seq[(Int, Seq[Member])] = {
    val first = (group.head.second + 59) / 60 * 60
    (first to newest by 60).map { end =>
      end -> group.filter(r =>
        r.second <= end && span.forall(n => r.second > end - 60 * n)
      )
    }
  }

  private def byTickOnLeft(group: Seq[Member]): Seq[(Int, Seq[Member])] = {
    val first = group.head.second / 60 * 60 + 60
    (first to newest by 60).map { end =>
      end -> group.filter(r => r.second < end && r.second >= end - 60)
    }
  }

  private def byInterval(until: Member => Option[Int])(
      group: Seq[Member]
  ): Seq[(Int, Seq[Member])] =
    (group.map(_.second) ++ group.flatMap(until(_))).distinct.sorted
      .map(start => start -> group.filter(r => r.second <= start && until(r).forall(_ > start)))
      .filter(_._2.nonEmpty)

  private val ofGroups = Seq(
    grouped("field_window(at, 10, 10)", second("of.open"), Answers())(byOpening(10, 10)),
    grouped("field_window(at, 12, 4, open => 'all')", second("of.open"), Answers())(
      byOpening(12, 4)
    ),
    grouped("tumble(at, '10 seconds')", second("of.start"), Answers())(byOpening(10, 10)),
    grouped("hop(at, '4 seconds', '10 seconds')", second("of.start"), Answers())(
      byOpening(10, 4)
    ),
    grouped("tumble(at, '1 day', '90 seconds')", second("of.start"), Answers(waiting = 1))(group =>
      Seq(90 - 86400, 90)
        .map(start => start -> group.filter(r => r.second >= start && r.second < start + 86400))
        .filter(_._2.nonEmpty)
    ),
    grouped("field_window(at, 15)", second("of.open"), Answers())(byFirst(15)),
    grouped("field_window(tied, 9, 9)", second("of.open"), noTies)(group =>
      byOpening(9, 9)(group.map(r => r.copy(second = r.tied))).map { case (open, in) =>
        open -> in.map(r => group.find(_.id == r.id).get)
      }
    ),
    grouped(
      "ticks(at, 'minutely')",
      second("of.end"),
      Answers(),
      s"${second("of.end")} <= $newest"
    )(
      byTick(Some(1))
    ),
    grouped(
      "ticks(at, 'minutely', closed => 'left')",
      second("of.end"),
      Answers(),
      s"${second("of.end")} <= $newest"
    )(byTickOnLeft),
    grouped(
      "ticks(at, 'minutely', span => 2)",
      second("of.end"),
      Answers(),
      s"${second("of.end")} <= $newest"
    )(byTick(Some(2))),
    grouped(
      "ticks(at, 'minutely', span => null)",
      second("of.end"),
      Grows("[MUNTIN_UNBOUNDED_WINDOWS_ON_STREAM]"),
      s"${second("of.end")} <= $newest"
    )(byTick(None)),
    grouped("sessions(at, INTERVAL 4 SECONDS)", second("of.start"), Answers())(bySession(4)),
    grouped("validity(at, until)", second("of.start"), Answers(waiting = 1))(byInterval(_.until)),
    grouped("validity(at, until, emit => 'element')", second("of.start"), Answers())(group =>
      group.map(row =>
        row.second -> group.filter(r =>
          r.second <= row.second && r.until.forall(_ > row.second)
        )
      )
    ),
    grouped("validity(at, at + INTERVAL 7 SECONDS)", second("of.start"), Answers())(
      byInterval(r => Some(r.second + 7))
    )
  )

  private val anchored = EveryWindow(
    "window_by",
    functions =>
      s"SELECT concat(ak, '|', aid) AS w, ${functions.map(_._1).mkString(", ")} FROM window_by(" +
        "TABLE(t), TABLE(SELECT id AS aid, k AS ak, at AS aat, at - INTERVAL 9 SECONDS AS lo, " +
        "at + INTERVAL 2 SECONDS AS hi FROM t WHERE k IS NOT NULL), " +
        s"\"${listed(functions)(identity)}\", 'at', 'lo', 'hi', 'k = ak')",
    all =>
      all.filter(_.key != "null").map { row =>
        s"${row.key}|${row.id}" -> Some(all.sortBy(_.second).filter(r =>
          r.key == row.key && r.second >= row.second - 9 && r.second <= row.second + 2
        ))
      },
    Set(Aggregate),
    Answers(refusedByArrival = Some("[MUNTIN_WINDOW_BY_IN_ORDER_OF_ARRIVAL]"))
  )

  private val intervals = EveryWindow(
    "intervals",
    functions => {
      val made = listed(functions)(call => s"intervals($call, at, until)")
      val values = functions.map { case (name, _) => s"$name[i].value AS $name" }.mkString(", ")
      s"SELECT concat($key, '|', ${second(s"${functions.head._1}[i].start")}) AS w, $values FROM (" +
        s"SELECT *, explode(sequence(0, size(${functions.head._1}) - 1)) AS i FROM (" +
        s"SELECT k, $made FROM t GROUP BY k))"
    },
    all =>
      for {
        group <- all.groupBy(_.key).values.map(_.sortBy(_.second).toIndexedSeq).toSeq
        (at, in) <- byInterval(_.until)(group)
      } yield s"${group.head.key}|$at" -> Some(in),
    Set(Aggregate),
    Refused("watermark")
  )

  val all: Seq[EveryWindow] = overRows ++ changed ++ ofGroups :+ anchored :+ intervals
}
