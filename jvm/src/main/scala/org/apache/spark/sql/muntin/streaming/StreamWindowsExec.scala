package org.apache.spark.sql.muntin.streaming

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.split.{SortedInput, SortedInputExec}
import org.apache.spark.sql.muntin.expressions.common.Unqualified
import org.apache.spark.sql.muntin.spark.{MicroBatch, StagesBelow, StatefulExec}

/**
 * Runs a job over a stream, one micro-batch at a time, with its state in the state store.
 *
 * Where the job is marked, `beside` is another StreamWindowsExec, whose rows are the marks. It
 * reads the rows of this operator's exchange, and has this operator's clock: so the marks of a
 * micro-batch are the marks of the rows that the watermark lets out in it.
 *
 * @param reports
 *   the operator above that uses the bound of this operator's rows
 */
case class StreamWindowsExec(
    job: StreamJob,
    rows: SparkPlan,
    beside: SparkPlan,
    clock: StreamClock,
    reports: Option[TimeReport],
    batch: Option[MicroBatch]
) extends StatefulExec
    with SortedInputExec {

  override def nodeName: String = "MuntinStream"

  override def shortName: String = StreamWindowsExec.ShortName

  override def output: Seq[Attribute] = job.output ++ job.revision

  override protected def keys: Seq[Attribute] = job.keys

  override def inputs: Seq[SortedInput] = Seq(SortedInput(keys, Nil, inAnyOrder = true))

  // State is partitioned in Spark's way, and `beside` as it likes.
  override def requiredChildDistribution: Seq[Distribution] =
    super[StatefulExec].requiredChildDistribution

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    super[StatefulExec].requiredChildOrdering

  override protected def isSingle: Boolean = job.isSingle

  override protected def withBatch(
      batch: Option[MicroBatch],
      rows: SparkPlan,
      beside: SparkPlan
  ): StreamWindowsExec = {
    if (batch.isDefined) checkLate(rows)
    copy(rows = rows, beside = beside, batch = batch)
  }

  /**
   * Whether rows come out as they arrive, and the time of a row is the time of all groups. Where
   * windows of groups are the rows, each group's windows are in order, but not those of all groups.
   */
  private def isOfStream: Boolean = isByArrival && !isOfWindows

  private def isOfWindows: Boolean = rows.exists {
    case below: StreamWindowsExec => !below.job.isInOrder
    case _ => false
  }

  /** Over windows that hold time back, rows wait for their bound in every order. */
  private def isByArrival: Boolean = MuntinConf.isByArrival(conf) && !clock.usesUpstream

  /** Checks that late rows are left out below: this operator does not look for them. */
  private def checkLate(plan: SparkPlan): Unit = plan match {
    case _: LateRowsExec | _: SharedRowsExec =>
    case leaf if leaf.children.isEmpty =>
      throw new IllegalStateException(s"no MuntinLateRows between ${job.title} and\n$leaf")
    case other => other.children.foreach(checkLate)
  }

  private def keepsBegins: Boolean = reports.exists(_.isBegin)

  override protected def droppedBelow: Long = {
    def dropped(plan: SparkPlan): Long = plan match {
      case late: LateRowsExec => late.dropped + dropped(late.child)
      case _: StreamWindowsExec => 0L
      case other => other.children.map(dropped).sum
    }
    dropped(rows)
  }

  override protected def families: Seq[StatefulExec.Family] = StreamStore.families(keepsBegins)

  override protected def properties: Seq[(String, String)] = Seq(
    "layout" -> StreamStore.LayoutVersion.toString,
    "window" -> job.name,
    "keys" -> columns(job.keys),
    "order" -> job.order.map(o =>
      s"${Unqualified.sql(o.child)} ${o.direction.sql} ${o.nullOrdering.sql}"
    ).mkString(", "),
    "input" -> columns(job.input),
    "answers" -> conf.getConf(MuntinConf.StreamOrder),
    MuntinConf.StreamCloseAfter.key -> closeAfter.fold("nothing")(ms => s"$ms ms from the opening")
  ) ++ Option.when(batch.exists(_.isUpdate) && job.known.isDefined)(StatefulExec.OutputMode) ++
    job.revision.map("revision" -> _.dataType.sql) ++ job.fingerprint ++
    // An older checkpoint does not store the times of the rows that wait.
    Option.when(keepsBegins && job.delay.isEmpty)(StatefulExec.HeldBackAbove)

  /** Which revisions come out: early answers, where no operator above would take them for final. */
  private def revising: Option[Revising] = batch.filter(_ => job.known.isDefined).flatMap { b =>
    val isEarly = b.isUpdate && b.isTop
    Option.when(isEarly || job.revision.isDefined) {
      Revising(job.revision, isEarly, b.number, isAll = b.isEnd)
    }
  }

  private def columns(attributes: Seq[Attribute]) =
    attributes.map(a => s"${a.name} ${a.dataType.sql}").mkString(", ")

  override protected def counts: Seq[(String, String)] = Seq(
    "numRowsBuffered" -> "number of rows that are kept or wait",
    "numPages" -> "number of pages of such rows",
    "numGroups" -> "number of groups with state",
    "numRowsOutOfOrder" -> "number of rows left out, out of order",
    "stateBytes" -> "bytes of groups and their pages, as written"
  )

  private def closeAfter: Option[Long] =
    conf.getConf(MuntinConf.StreamCloseAfter).filter(_ => job.hasClosing)

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    batch.exists(newInputWatermark > _.times.watermark) || hasToClose || hasToDrain

  /** Whether the query is drained: then all of its windows are. */
  private def isDrained(batch: MicroBatch): Boolean =
    batch.times.isFinite && saysDrained(batch)

  private[streaming] def saysDrained(batch: MicroBatch): Boolean =
    conf.getConf(MuntinConf.StreamDrain) || batch.operators.exists {
      case other: StreamWindowsExec => other.job.drain.contains(true)
      case _ => false
    }

  /** Whether open windows come out in a further micro-batch, which has no rows. */
  private def hasToDrain: Boolean = batch.exists(b => isDrained(b) && !b.times.isLast)

  /** Whether windows are to be closed by the clock, in a stream that is quiet. */
  private def hasToClose: Boolean =
    closeAfter.exists { after =>
      clock.opened.exists(_.get <= System.currentTimeMillis - after)
    }

  // To Spark's operators a row at the watermark is late; such a row may still come out.
  // An operator that uses the bound of the rows that wait only needs time to have advanced.
  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    job.delay.orElse(Option.when(keepsBegins)(0L)).map(delay =>
      math.max(0L, inputWatermarkMs - 1L - (delay + 999L) / 1000L)
    )

  override protected def doExecute(): RDD[InternalRow] = {
    StreamRefusals(this)
    // The times are needed again when Spark asks whether there is to be another micro-batch.
    batch.foreach(_.times)
    val now = batch.getOrElse(StreamTimes.unknown(this))
    clock.begin(isOfStream || job.endsByNewest, sparkContext.register(_))(timeIn(now), lateIn(now))
    val input = rows.execute()
    val task = StreamTask(
      job,
      clock.close(StagesBelow.end(input)),
      clock.late,
      reports.flatMap(r => r.to.upstream.map((_, r.isBegin))),
      closeAfter.flatMap(_ => clock.opened),
      revising,
      run,
      conf.getConf(MuntinConf.StreamWarmMemory),
      conf.getConf(MuntinConf.OverForceSpill),
      metrics
    )
    if (job.isMarked) {
      mapWithState(MarkedRows(input, marks())) { (store, parts) =>
        val (found, rows) = parts.next()
        task(store, rows, found)(measure(store, _))
      }
    } else {
      mapWithState(input) { (store, rows) =>
        task(store, rows, Array.emptyLongArray)(measure(store, _))
      }
    }
  }

  private def timeIn(batch: MicroBatch): StreamTime = {
    val times = batch.times
    val hasWatermark = job.input.exists(a => a.exprId == job.time.exprId && StreamTimes.isMarked(a))
    val isEnd =
      batch.isEnd || times.isLast && isDrained(batch) && !job.drain.contains(false)
    StreamTime(
      Option.when(hasWatermark)(times.lateWatermark * 1000L),
      Option.when(hasWatermark)(times.watermark * 1000L),
      isByArrival,
      // Results of upstream windows are not source rows and must not be dropped.
      conf.getConf(MuntinConf.StreamOutOfOrder) == "drop" && !isOfWindows,
      clock = times.clock,
      closeAfter = closeAfter,
      isEnd = isEnd,
      isFirst = batch.isFirst
    )
  }

  /** Where the rows go that this operator leaves out, and operators below it. */
  private def lateIn(batch: MicroBatch): Option[LateFolder] =
    conf.getConf(MuntinConf.StreamLateRows).map { path =>
      val own = s"query=${batch.query}/batch=${batch.number}/operator=${batch.operator}"
      val folder = new LateFolder(s"$path/$own", sparkContext, conf.sessionLocalTimeZone)
      folder.clear()
      folder
    }

  /** The marks up to the watermark. */
  private def marks(): RDD[InternalRow] = {
    val exchanged = rows.collectFirst { case e: ShuffleExchangeLike => e }.getOrElse(
      throw new IllegalStateException(s"no exchange below\n$this")
    )
    beside.foreach {
      case shared: SharedRowsExec => shared.readFrom(exchanged)
      case _ =>
    }
    beside.execute()
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${stringArgs.mkString(" ")}"

  override protected def stringArgs: Iterator[Any] =
    Iterator(job.title, job.keys.mkString("[", ", ", "],"), job.order.mkString("[", ", ", "]"))
}

object StreamWindowsExec {

  /** The operator's name in a checkpoint. */
  val ShortName: String = "muntin"

  /** An operator that has no place in the checkpoint yet. */
  def unplaced(
      job: StreamJob,
      rows: SparkPlan,
      clock: StreamClock,
      beside: SparkPlan = StatefulExec.nothingBeside
  ): StreamWindowsExec =
    StreamWindowsExec(job, StatefulExec.unplaced(rows), beside, clock, None, None)
}
