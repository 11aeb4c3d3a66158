package org.apache.spark.sql.muntin.conf

import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.network.util.ByteUnit
import org.apache.spark.sql.internal.SQLConf

/** The settings of Muntin, in the style of Spark's own: `spark.muntin.area.camelCase`. */
object MuntinConf {
  // MuntinExtensions reads it before this class is loaded.
  val Enabled: ConfigEntry[Boolean] = entry("spark.muntin.enabled") {
    SQLConf
      .buildStaticConf(_)
      .doc(
        "Whether the jar does anything. When false, Spark loads only the class of the jar that " +
          "reads this setting: plans are stock Spark's, and Muntin's functions do not exist. " +
          "Set it before the application starts: a running session rejects it. The " +
          "environment variable MUNTIN_ENABLED of the driver does the same."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val OverEnabled: ConfigEntry[Boolean] = entry("spark.muntin.over.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether Muntin runs the window functions of OVER clauses. When false, Spark's own " +
          "operator runs them."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val OverPermissive: ConfigEntry[Boolean] = entry("spark.muntin.over.permissive") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether OVER takes what other systems take and Spark refuses: a frame that ends before " +
          "it begins, such as ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING, which has no row; " +
          "ranks, ntile, lag, lead and nth_value without ORDER BY, which take the rows in " +
          "whatever order they come; and a frame beside all of these but nth_value, to which a " +
          "frame is nothing."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(false)
  }

  val OverForceSpill: ConfigEntry[Boolean] = entry("spark.muntin.over.forceSpill") {
    SQLConf
      .buildConf(_)
      .internal()
      .doc(
        "For tests: whether rows whose frames are not ready go to disk at once, and values in " +
          "frames and in windows of groups as soon as there are about 50 of them."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(false)
  }

  val AsOfEnabled: ConfigEntry[Boolean] = entry("spark.muntin.asof.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether Muntin runs Spark's own as-of joins: merge_asof of the pandas API, and ASOF " +
          "JOIN with MATCH_CONDITION. When false, Spark runs them."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val PanesEnabled: ConfigEntry[Boolean] = entry("spark.muntin.panes.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether tumble, hop, field_window and ticks aggregate rows by key and pane before they " +
          "are exchanged, if the aggregates allow it. It pays off if a pane of a key has " +
          "several rows."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val PanesChunkRows: ConfigEntry[Int] = entry("spark.muntin.panes.chunkRows") {
    SQLConf
      .buildConf(_)
      .internal()
      .doc(
        "How many rows a task aggregates by pane at a time, at most. With more rows a pane comes " +
          "out fewer times, and the task takes more memory."
      )
      .version("0.1.0")
      .intConf
      .checkValue(_ > 0, "expected is a positive number of rows")
      .createWithDefault(1 << 20)
  }

  val SortEnabled: ConfigEntry[Boolean] = entry("spark.muntin.sort.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether Muntin sorts the rows that its operators read, where they are ordered by " +
          "numbers, dates, times, strings or bytes within their groups. When false, or for other " +
          "types, Spark's own sort does it."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val SortSpillRows: ConfigEntry[Int] = entry("spark.muntin.sort.spillRows") {
    SQLConf
      .buildConf(_)
      .internal()
      .doc("For tests: after how many rows a sort goes to disk although there is memory.")
      .version("0.1.0")
      .intConf
      .checkValue(_ > 0, "expected is a positive number of rows")
      .createWithDefault(Int.MaxValue)
  }

  val SortMostGathered: ConfigEntry[Int] = entry("spark.muntin.sort.mostGathered") {
    SQLConf
      .buildConf(_)
      .internal()
      .doc(
        "In how many places the values of a row may lie in the exchange's columns, a value of " +
          "varying size in two, for the row to stay there while rows are sorted. A row in more " +
          "places is copied to one place when it comes."
      )
      .version("0.1.0")
      .intConf
      .checkValue(_ >= 0, "expected is a number of places")
      .createWithDefault(12)
  }

  val ExchangeEnabled: ConfigEntry[Boolean] = entry("spark.muntin.exchange.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether rows that Muntin's operators read are exchanged column by column: by Spark's " +
          "shuffle manager, to the same partitions, and without rows where the operator below " +
          "has columns. When false, Spark's own exchange does it. Results do not depend on it."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val SplitEnabled: ConfigEntry[Boolean] = entry("spark.muntin.split.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether the rows that an OVER clause, windows of a GROUP BY or window_by would have in " +
          "one task are split over several tasks, where adaptive execution sees that the task " +
          "would have far more rows than other tasks, and the frames or windows reach only a " +
          "part of them. Results do not depend on it."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val SplitFactor: ConfigEntry[Double] = entry("spark.muntin.split.partitionFactor") {
    SQLConf
      .buildConf(_)
      .doc(
        "A partition of the shuffle is split only if it is so many times as large as the median " +
          "of the other partitions."
      )
      .version("0.1.0")
      .doubleConf
      .checkValue(_ > 0.0, "expected is a number above 0")
      .createWithDefaultFunction(() =>
        SQLConf.get.getConf(SQLConf.SKEW_JOIN_SKEWED_PARTITION_FACTOR)
      )
  }

  val SplitChunkSize: ConfigEntry[Long] = entry("spark.muntin.split.chunkSize") {
    SQLConf
      .buildConf(_)
      .doc(
        "How many bytes of the shuffle each chunk of a split partition has, at least. There are " +
          "no more chunks than it takes to give all cores the same amount of work. Up to three " +
          "chunks read the whole partition each; for more chunks the partition is exchanged " +
          "once more, by range, if each chunk needs only a few of the rows around it."
      )
      .version("0.1.0")
      .bytesConf(ByteUnit.BYTE)
      .checkValue(_ > 0L, "expected is a size above zero")
      .createWithDefault(16L << 20)
  }

  val SplitForceChunks: ConfigEntry[Int] = entry("spark.muntin.split.forceChunks") {
    SQLConf
      .buildConf(_)
      .internal()
      .doc(
        "For tests: into how many chunks every partition is split, at random places; 0 for none."
      )
      .version("0.1.0")
      .intConf
      .checkValue(_ >= 0, "expected is a number of chunks")
      .createWithDefault(0)
  }

  val SplitForceExchange: ConfigEntry[Boolean] = entry("spark.muntin.split.forceExchange") {
    SQLConf
      .buildConf(_)
      .internal()
      .doc(
        "For tests: whether partitions that are split by spark.muntin.split.forceChunks are " +
          "exchanged by range, where they can be."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(false)
  }

  val SplitForceSeed: ConfigEntry[Long] = entry("spark.muntin.split.forceSeed") {
    SQLConf
      .buildConf(_)
      .internal()
      .doc("For tests: the seed of the random places of spark.muntin.split.forceChunks.")
      .version("0.1.0")
      .longConf
      .createWithDefault(0L)
  }

  val StreamOrder: ConfigEntry[String] = entry("spark.muntin.stream.order") {
    SQLConf
      .buildConf(_)
      .doc(
        "When the rows of a stream come out. 'watermark': in the order of time, when the " +
          "watermark has passed what their windows need; rows that came out of order are put in " +
          "their place. 'arrival': in the micro-batch that brings them, if the rows of all " +
          "groups together arrive in the order of time. 'group': in the micro-batch that brings " +
          "them, if the rows of each group arrive in the order of time; no result depends on " +
          "rows of other groups."
      )
      .version("0.1.0")
      .stringConf
      .checkValues(Set("watermark", "arrival", "group"))
      .createWithDefault("watermark")
  }

  val StreamOutOfOrder: ConfigEntry[String] = entry("spark.muntin.stream.outOfOrder") {
    SQLConf
      .buildConf(_)
      .doc(
        "What becomes of a row whose time is below an earlier row's, where rows come out as " +
          "they arrive. 'error': the query fails. 'drop': the row is left out and counted in the " +
          "query's progress."
      )
      .version("0.1.0")
      .stringConf
      .checkValues(Set("error", "drop"))
      .createWithDefault("error")
  }

  val StreamWarmMemory: ConfigEntry[Option[Long]] = entry("spark.muntin.stream.warmMemory") {
    SQLConf
      .buildConf(_)
      .doc(
        "How many bytes of each executor may be taken by groups of streams that stay in memory " +
          "between micro-batches, so that their state is not read. Spark counts the groups as " +
          "storage memory, and as a task's own memory while the task runs; they are dropped " +
          "when the memory is needed. Results do not depend on it. 0 turns it off; not set: a " +
          "quarter of the executor's heap."
      )
      .version("0.1.0")
      .bytesConf(ByteUnit.BYTE)
      .checkValue(_ >= 0L, "expected is a size that is not below zero")
      .createOptional
  }

  val StreamCloseAfter: ConfigEntry[Option[Long]] = entry("spark.muntin.stream.closeAfter") {
    SQLConf
      .buildConf(_)
      .doc(
        "How long after its opening, by the clock, a field_window, tumble or hop of a stream " +
          "closes although the watermark has not passed its end, such as 300s. A window opens by " +
          "the clock when the micro-batch with its first row begins. Rows of its group that " +
          "arrive later are late: they are dropped and counted. Not set: never."
      )
      .version("0.1.0")
      .timeConf(java.util.concurrent.TimeUnit.MILLISECONDS)
      .checkValue(_ >= 0L, "expected is a time that is not below zero")
      .createOptional
  }

  val StreamDrain: ConfigEntry[Boolean] = entry("spark.muntin.stream.drain") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether a query with trigger(availableNow=True) lets out at its end all windows that no " +
          "later row has closed, and rows that wait for later rows, as a batch does. The stream " +
          "is then at its end: its checkpoint takes no more rows."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(false)
  }

  val StreamLateRows: ConfigEntry[Option[String]] = entry("spark.muntin.stream.lateRows") {
    SQLConf
      .buildConf(_)
      .doc(
        "A folder for the rows that windows over streams leave out, since they are late or out " +
          "of order: lines of JSON, in folders by query, micro-batch and operator. Each row has " +
          "the columns that the windows' rows have. Not set: such rows are counted alone."
      )
      .version("0.1.0")
      .stringConf
      .checkValue(_.trim.nonEmpty, "expected is the path of a folder")
      .createOptional
  }

  val StreamUnbounded: ConfigEntry[String] = entry("spark.muntin.stream.unbounded") {
    SQLConf
      .buildConf(_)
      .doc(
        "What becomes of a query over streams whose state grows for ever, such as window_by " +
          "without obsolete. 'warn': it runs, and says so in the log. 'error': it is refused."
      )
      .version("0.1.0")
      .stringConf
      .checkValues(Set("warn", "error"))
      .createWithDefault("warn")
  }

  /**
   * Returns true if rows of streams have their results in the micro-batch that brings them: in the
   * orders `arrival` and `group`.
   */
  def isByArrival(conf: SQLConf): Boolean = conf.getConf(StreamOrder) != "watermark"

  /** Returns true if rows advance time for all groups of a stream: in the order `arrival`. */
  def isByNewest(conf: SQLConf): Boolean = conf.getConf(StreamOrder) == "arrival"

  /** Returns true if each group of a stream has a time of its own: in the order `group`. */
  def isByGroup(conf: SQLConf): Boolean = conf.getConf(StreamOrder) == "group"

  /** What the names of all settings begin with. */
  val Prefix: String = "spark.muntin."

  /** The names of all settings. */
  lazy val names: Set[String] = Seq[ConfigEntry[_]](
    Enabled,
    OverEnabled,
    OverPermissive,
    OverForceSpill,
    AsOfEnabled,
    PanesEnabled,
    PanesChunkRows,
    SortEnabled,
    SortSpillRows,
    SortMostGathered,
    ExchangeEnabled,
    SplitEnabled,
    SplitFactor,
    SplitChunkSize,
    SplitForceChunks,
    SplitForceExchange,
    SplitForceSeed,
    StreamOrder,
    StreamOutOfOrder,
    StreamWarmMemory,
    StreamCloseAfter,
    StreamDrain,
    StreamLateRows,
    StreamUnbounded
  ).map(_.key).toSet

  /** Makes the settings known to Spark, as `SET -v` lists them, before any setting is read. */
  def register(): Unit = ()

  // One JVM may load this class twice, through two class loaders (ADD JAR in two applications), but
  // a key can be built only once.
  private def entry[T](key: String)(build: String => ConfigEntry[T]): ConfigEntry[T] =
    ConfigEntry.findEntry(key) match {
      case null => build(key)
      case known => known.asInstanceOf[ConfigEntry[T]]
    }
}
