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
import org.apache.spark.sql.muntin.spark.{
  MicroBatch,
  QueryDifference,
  RealTimeMode,
  StatefulExec,
  UpstreamStages
}

/**
 * Runs a job over a stream, one micro-batch at a time, with its state in the state store.
 *
 * If the job is marked, `marksPlan` is another StreamWindowsExec, which computes the marks. It
 * reads the rows of this operator's exchange, and has this operator's clock. So the marks of a
 * micro-batch are the marks of the rows that the watermark releases in it.
 *
 * @param reports
 *   the downstream operator that uses the bound of this operator's rows
 */
case class StreamWindowsExec(
    job: StreamJob,
    rows: SparkPlan,
    marksPlan: SparkPlan,
    clock: StreamClock,
    reports: Option[TimeReport],
    batch: Option[MicroBatch]
) extends StatefulExec
    with SortedInputExec {

  override def nodeName: String = "MuntinStream"

  override def shortName: String = StreamWindowsExec.ShortName

  override def output: Seq[Attribute] = job.output ++ job.revision

  override protected def keys: Seq[Attribute] = job.keys

  /**
   * Returns true in Spark's real-time mode, in which the operator emits the results of each row
   * before it reads the next row. So the rows cannot be sorted, and need Spark's own exchange.
   */
  private[streaming] lazy val isRealTime: Boolean = batchMillis.isDefined

  private lazy val batchMillis: Option[Long] = RealTimeMode.batchMillis(rows)

  /**
   * Returns true if the rows of a group are sorted below the operator, which then holds none of
   * them in memory: groups are new, and have all of their history.
   */
  private lazy val isSorted: Boolean = HistoryRowsExec.isIn(rows) && job.arrival.isEmpty &&
    !job.isMarked && closeAfter.isEmpty

  override def inputs: Seq[SortedInput] =
    if (isRealTime) Nil
    else if (isSorted) Seq(SortedInput(keys, job.order))
    else Seq(SortedInput(keys, Nil, inAnyOrder = true))

  // State is partitioned as Spark requires, and `marksPlan` has its own partitioning.
  override def requiredChildDistribution: Seq[Distribution] =
    super[StatefulExec].requiredChildDistribution

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(inputs.headOption.fold(Seq.empty[SortOrder])(_.order), Nil)

  override protected def isSingle: Boolean = job.isSingle

  override protected def withBatch(
      batch: Option[MicroBatch],
      rows: SparkPlan,
      marksPlan: SparkPlan
  ): StreamWindowsExec = {
    if (batch.isDefined) checkLate(rows)
    copy(rows = rows, marksPlan = marksPlan, batch = batch)
  }

  /**
   * Returns true if rows are emitted as they arrive, and a row's time is the time of all groups. If
   * the rows are results of GROUP BY windows, each group's windows are in order, but not the
   * windows of all groups. In the order `group` each group has a time of its own.
   */
  private def isOfStream: Boolean =
    MuntinConf.isByNewest(conf) && !clock.usesUpstream && !isOfWindows

  private def isOfWindows: Boolean = rows.exists {
    case below: StreamWindowsExec => !below.job.emitsInTimeOrder
    case _ => false
  }

  /** Over windows that hold back time, rows wait for their bound in every order. */
  private[streaming] def isByArrival: Boolean = MuntinConf.isByArrival(conf) && !clock.usesUpstream

  private[streaming] def isByGroup: Boolean = MuntinConf.isByGroup(conf)

  /** Checks that an operator below drops late rows: this operator does not check for them. */
  private def checkLate(plan: SparkPlan): Unit = plan match {
    case _: LateRowsExec | _: SharedRowsExec =>
    case leaf if leaf.children.isEmpty =>
      throw new IllegalStateException(s"no MuntinLateRows between ${job.title} and\n$leaf")
    case other => other.children.foreach(checkLate)
  }

  private[streaming] def keepsBegins: Boolean = reports.exists(_.isBegin)

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
    QueryDifference.Layout -> StreamStore.LayoutVersion.toString,
    "window" -> job.name,
    "keys" -> columns(job.keys),
    "order" -> job.order.map(o =>
      s"${Unqualified.sql(o.child)} ${o.direction.sql} ${o.nullOrdering.sql}"
    ).mkString(", "),
    "input" -> columns(job.input),
    "kept columns" -> columns(job.retainedColumns),
    "answers" -> conf.getConf(MuntinConf.StreamOrder),
    MuntinConf.StreamCloseAfter.key -> closeAfter.fold("nothing")(ms => s"$ms ms from the opening")
  ) ++ Option.when(isUpdate && job.resultIdentity.isDefined)(StatefulExec.OutputMode) ++
    job.revision.map("revision" -> _.dataType.sql) ++ job.fingerprint ++ buffers ++
    // An older checkpoint does not store the times of the buffered rows.
    Option.when(keepsBegins && job.delay.isEmpty)(StatefulExec.HeldBackAbove)

  // Spark or the user determines these columns. The state does not contain their types.
  private def buffers: Seq[(String, String)] = job.savedBuffers.zipWithIndex.collect {
    case (types, i) if types.nonEmpty => s"buffer ${i + 1}" -> types.map(_.sql).mkString(", ")
  }

  /**
   * Returns true in output mode update. Real-time mode requires that mode, but there each result is
   * emitted once, as in output mode append, so the state is that of append.
   */
  private def isUpdate: Boolean = !isRealTime && batch.exists(_.isUpdate)

  /**
   * Returns which revisions are emitted: early answers, unless a downstream operator would take
   * them as final.
   */
  private def revisionPolicy: Option[RevisionPolicy] =
    batch.filter(_ => job.resultIdentity.isDefined).flatMap { b =>
      val isEarly = isUpdate && b.isTop
      Option.when(isEarly || job.revision.isDefined) {
        RevisionPolicy(job.revision, isEarly, b.number, isAll = b.isEnd)
      }
    }

  /** Returns true if the state has the early answers that have been emitted. */
  private[streaming] def storesAnswers: Boolean = revisionPolicy.isDefined

  private def stateColumns: String =
    Seq(job.keys, job.input, job.retainedColumns).map(columns).mkString("; ")

  private def columns(attributes: Seq[Attribute]) =
    attributes.map(a => s"${a.name} ${a.dataType.sql}").mkString(", ")

  override protected def counts: Seq[(String, String)] = Seq(
    "numRowsBuffered" -> "number of buffered and retained rows",
    "numPages" -> "number of pages of buffered and retained rows",
    "numGroups" -> "number of groups in the state",
    "numRowsOutOfOrder" -> "number of rows which are dropped out of order",
    "numGroupsExpired" -> "number of expired groups",
    "stateBytes" -> "size of groups and pages in the state"
  )

  private def closeAfter: Option[Long] =
    conf.getConf(MuntinConf.StreamCloseAfter).filter(_ => job.hasClosing)

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    batch.exists(!isByGroup && newInputWatermark > _.times.watermark) || hasToClose || hasToDrain

  /** Returns true if the query is drained. Then all of its windows are. */
  private def isDrained(batch: MicroBatch): Boolean =
    batch.times.isFinite && isDrainRequested(batch)

  private[streaming] def isDrainRequested(batch: MicroBatch): Boolean =
    conf.getConf(MuntinConf.StreamDrain) || batch.operators.exists {
      case other: StreamWindowsExec => other.job.drain.contains(true)
      case _ => false
    }

  /** Returns true if a further micro-batch, without rows, must emit open windows. */
  private def hasToDrain: Boolean = batch.exists(b => isDrained(b) && !b.times.isLast)

  /** Returns true if the clock must close windows of a quiet stream. */
  private def hasToClose: Boolean =
    closeAfter.exists { after =>
      clock.opened.exists(_.get <= System.currentTimeMillis - after)
    }

  // Spark's operators treat a row at the watermark as late, but this operator may still emit such a
  // row. An operator that uses the bound of the buffered rows only needs time to have advanced.
  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    job.delay.orElse(Option.when(keepsBegins)(0L)).map(delay =>
      math.max(0L, inputWatermarkMs - 1L - (delay + 999L) / 1000L)
    )

  override protected def doExecute(): RDD[InternalRow] = {
    StreamRefusals(this)
    batch.foreach { b =>
      // Spark needs the times again when it decides whether to run another micro-batch.
      b.times: Unit
      StateColumns.check(run, b.operator, job.title, stateColumns)
    }
    val now = batch.getOrElse(StreamTimes.unknown(this))
    clock.begin(isOfStream || job.endsByNewest, sparkContext.register(_))(timeIn(now), lateIn(now))
    val input = rows.execute()
    val task = StreamTask(
      job,
      clock.close(UpstreamStages.end(input)),
      StreamTask.Delivery(revisionPolicy, batchMillis, isSorted),
      StreamTask.State(
        run,
        partitions,
        conf.getConf(MuntinConf.StreamWarmMemory),
        conf.getConf(MuntinConf.OverForceSpill)
      ),
      TaskReports(
        clock.late,
        reports.flatMap(r => r.clock.upstream.map((_, r.isBegin))),
        closeAfter.flatMap(_ => clock.opened),
        metrics
      )
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
    // In the order `group` nothing depends on the watermark: rows of other groups advance it.
    val hasWatermark = !isByGroup &&
      job.input.exists(a => a.exprId == job.time.exprId && StreamTimes.isMarked(a))
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
      isFirst = batch.isFirst,
      byGroup = isByGroup
    )
  }

  /** Returns the folder for the rows that this operator and the operators below it drop. */
  private def lateIn(batch: MicroBatch): Option[LateFolder] =
    conf.getConf(MuntinConf.StreamLateRows).map { path =>
      val folderName = s"query=${batch.query}/batch=${batch.number}/operator=${batch.operator}"
      val folder = new LateFolder(s"$path/$folderName", sparkContext, conf.sessionLocalTimeZone)
      folder.clear()
      folder
    }

  /** Returns the marks up to the watermark. */
  private def marks(): RDD[InternalRow] = {
    val exchanged = rows.collectFirst { case e: ShuffleExchangeLike => e }.getOrElse(
      throw new IllegalStateException(s"no exchange below\n$this")
    )
    marksPlan.foreach {
      case shared: SharedRowsExec => shared.readFrom(exchanged)
      case _ =>
    }
    marksPlan.execute()
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${stringArgs.mkString(" ")}"

  override protected def stringArgs: Iterator[Any] =
    Iterator(job.title, job.keys.mkString("[", ", ", "],"), job.order.mkString("[", ", ", "]")) ++
      job.ttl.map(ttl => s"ttl ${ttl.sql}")
}

object StreamWindowsExec {

  /** The operator's name in a checkpoint. */
  val ShortName: String = "muntin"

  /** Returns an operator that has no place in the checkpoint yet. */
  def unplaced(
      job: StreamJob,
      rows: SparkPlan,
      clock: StreamClock,
      marksPlan: SparkPlan = StatefulExec.noMarksPlan
  ): StreamWindowsExec =
    StreamWindowsExec(job, StatefulExec.unplaced(rows), marksPlan, clock, None, None)
}
