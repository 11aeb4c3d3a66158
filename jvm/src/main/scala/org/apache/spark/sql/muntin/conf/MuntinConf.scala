package org.apache.spark.sql.muntin.conf

import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.network.util.ByteUnit
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException

/** Muntin's settings, named like Spark's: `spark.muntin.area.camelCase`. */
object MuntinConf {
  // MuntinExtensions reads it before this class is loaded.
  val Enabled: ConfigEntry[Boolean] = entry("spark.muntin.enabled") {
    SQLConf
      .buildStaticConf(_)
      .doc(
        "Whether the jar is active. If false, Spark loads only the class of the jar that reads " +
          "this setting: plans are stock Spark's, and Muntin's functions do not exist. Set it " +
          "before the application starts: a running session rejects it. The environment variable " +
          "MUNTIN_ENABLED of the driver has the same effect."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val OverEnabled: ConfigEntry[Boolean] = entry("spark.muntin.over.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether Muntin runs the window functions of OVER clauses. If false, Spark's own " +
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
        "Whether OVER accepts queries that other systems accept and Spark rejects: frames that " +
          "end before they begin, such as ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING, which are " +
          "empty; ranks, ntile, lag, lead and nth_value without ORDER BY, which take the rows in " +
          "any order; and a frame for each of these functions but nth_value: they ignore it."
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
        "For tests: whether rows whose frames are not complete are spilled at once, and values " +
          "in frames and in windows of groups once there are about 50 of them."
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
          "JOIN with MATCH_CONDITION. If false, Spark runs them."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val PanesEnabled: ConfigEntry[Boolean] = entry("spark.muntin.panes.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether tumble, hop, field_window and ticks aggregate rows by key and pane before " +
          "they exchange them, if the aggregates allow it. This pays off if a pane of a key has " +
          "several rows."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val PanesChunkRows: ConfigEntry[Int] = entry("spark.muntin.panes.chunkRows") { key =>
    SQLConf
      .buildConf(key)
      .internal()
      .doc(
        "The maximum number of rows that a task aggregates by pane at a time. With more rows, " +
          "a pane is emitted fewer times, and the task uses more memory."
      )
      .version("0.1.0")
      .intConf
      .transform(requiring[Int](key, "a positive number of rows")(_ > 0))
      .createWithDefault(1 << 20)
  }

  val SortEnabled: ConfigEntry[Boolean] = entry("spark.muntin.sort.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether Muntin sorts the rows that its operators read, if their order within groups " +
          "consists of numbers, dates, times, strings or bytes. If false, or for other types, " +
          "Spark's own sort runs."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val SortSpillRows: ConfigEntry[Int] = entry("spark.muntin.sort.spillRows") { key =>
    SQLConf
      .buildConf(key)
      .internal()
      .doc("For tests: the number of rows after which a sort spills although memory is available.")
      .version("0.1.0")
      .intConf
      .transform(requiring[Int](key, "a positive number of rows")(_ > 0))
      .createWithDefault(Int.MaxValue)
  }

  val SortMostGathered: ConfigEntry[Int] = entry("spark.muntin.sort.mostGathered") { key =>
    SQLConf
      .buildConf(key)
      .internal()
      .doc(
        "The maximum number of places in the exchange's columns that may hold a row's values " +
          "(a value of varying size counts as two) for the row to stay there during the sort. A " +
          "row in more places is copied to one place when it arrives."
      )
      .version("0.1.0")
      .intConf
      .transform(requiring[Int](key, "0 or a positive number of places")(_ >= 0))
      .createWithDefault(12)
  }

  val ExchangeEnabled: ConfigEntry[Boolean] = entry("spark.muntin.exchange.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether rows that Muntin's operators read are exchanged by column: through Spark's " +
          "shuffle manager, to the same partitions, and without conversion to rows if the child " +
          "operator is columnar. If false, Spark's own exchange runs. Results do not depend on " +
          "it."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val SplitEnabled: ConfigEntry[Boolean] = entry("spark.muntin.split.enabled") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether Muntin splits one task's rows of an OVER clause, of windows of a GROUP BY or " +
          "of window_by over several tasks. It does so if adaptive execution finds that the task " +
          "would have far more rows than other tasks, and if each frame or window reaches only a " +
          "part of them. Results do not depend on it."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(true)
  }

  val SplitFactor: ConfigEntry[Double] = entry("spark.muntin.split.partitionFactor") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "A partition of the shuffle is split only if it is at least this many times as large " +
          "as the median of the other partitions."
      )
      .version("0.1.0")
      .doubleConf
      .transform(requiring[Double](key, "a number greater than 0")(_ > 0.0))
      .createWithDefaultFunction(() =>
        SQLConf.get.getConf(SQLConf.SKEW_JOIN_SKEWED_PARTITION_FACTOR)
      )
  }

  val SplitChunkSize: ConfigEntry[Long] = entry("spark.muntin.split.chunkSize") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "The minimum size in the shuffle of each chunk of a split partition. Muntin creates " +
          "no more chunks than necessary to give all cores the same amount of work. Up to " +
          "three chunks read the whole partition each; for more chunks the partition is " +
          "exchanged again, by range, if each chunk needs only a few of the rows around it."
      )
      .version("0.1.0")
      .bytesConf(ByteUnit.BYTE)
      .transform(requiring[Long](key, "a size greater than 0")(_ > 0L))
      .createWithDefault(16L << 20)
  }

  val SplitForceChunks: ConfigEntry[Int] = entry("spark.muntin.split.forceChunks") { key =>
    SQLConf
      .buildConf(key)
      .internal()
      .doc(
        "For tests: the number of chunks that every partition is split into, at random places; " +
          "0 for no split."
      )
      .version("0.1.0")
      .intConf
      .transform(requiring[Int](key, "0 or a positive number of chunks")(_ >= 0))
      .createWithDefault(0)
  }

  val SplitForceExchange: ConfigEntry[Boolean] = entry("spark.muntin.split.forceExchange") {
    SQLConf
      .buildConf(_)
      .internal()
      .doc(
        "For tests: whether partitions that spark.muntin.split.forceChunks splits are " +
          "exchanged by range, if possible."
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

  val StreamOrder: ConfigEntry[String] = entry("spark.muntin.stream.order") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "The order in which streams emit rows. 'watermark': in time order, once the watermark " +
          "has passed what a row's windows need; out-of-order rows are put in their place. " +
          "'arrival': in the micro-batch in which a row arrives, if the rows of all groups " +
          "together arrive in time order. 'group': in the micro-batch in which a row arrives, " +
          "if the rows of each group arrive in time order; results of a group depend on its own " +
          "rows only."
      )
      .version("0.1.0")
      .stringConf
      .transform(oneOf(key, "watermark", "arrival", "group"))
      .createWithDefault("watermark")
  }

  val StreamOutOfOrder: ConfigEntry[String] = entry("spark.muntin.stream.outOfOrder") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "How to treat a row whose time is below an earlier row's time, if rows are emitted as " +
          "they arrive. 'error': the query fails. 'drop': the row is dropped and counted in the " +
          "query's progress."
      )
      .version("0.1.0")
      .stringConf
      .transform(oneOf(key, "error", "drop"))
      .createWithDefault("error")
  }

  val StreamChange: ConfigEntry[String] = entry("spark.muntin.stream.change") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "What happens if a query starts with the checkpoint of another query. 'refuse': it " +
          "fails. 'continue': the checkpoint is moved to a folder beside it, and copied for the " +
          "changed query, if all of its window functions continue. 'incomplete': also if windows " +
          "restart, or are dropped with rows that wait. A warning in the log shows the changes."
      )
      .version("0.1.0")
      .stringConf
      .transform(oneOf(key, "refuse", "continue", "incomplete"))
      .createWithDefault("refuse")
  }

  val StreamWarmMemory: ConfigEntry[Option[Long]] = entry("spark.muntin.stream.warmMemory") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "The maximum memory of each executor for groups of streams that stay in memory between " +
          "micro-batches, so that Muntin does not read their state. Spark accounts for the " +
          "groups as storage memory, and as a task's own memory while the task runs; they are " +
          "evicted if the memory is needed. Results do not depend on it. 0 turns it off; if not " +
          "set, it is a quarter of the executor's heap."
      )
      .version("0.1.0")
      .bytesConf(ByteUnit.BYTE)
      .transform(requiring[Long](key, "0 or a positive size")(_ >= 0L))
      .createOptional
  }

  val StreamCloseAfter: ConfigEntry[Option[Long]] = entry("spark.muntin.stream.closeAfter") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "The time after its opening, by the wall clock, at which a field_window, tumble or hop " +
          "of a stream closes although the watermark has not passed its end, such as 300s. A " +
          "window opens when the micro-batch with its first row begins. Rows of its group that " +
          "arrive later are late: they are dropped and counted. Not set: never."
      )
      .version("0.1.0")
      .timeConf(java.util.concurrent.TimeUnit.MILLISECONDS)
      .transform(requiring[Long](key, "0 or a positive time")(_ >= 0L))
      .createOptional
  }

  val StreamTtl: ConfigEntry[Option[Long]] = entry("spark.muntin.stream.ttl") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "How long OVER on a stream remembers the rows of a key without another row, in the time " +
          "of the rows, such as 30d. Its state is then dropped, and the next row of the key " +
          "begins a new partition, as for the argument ttl of sliding, since and framed, which " +
          "takes precedence. Not set: forever."
      )
      .version("0.1.0")
      .timeConf(java.util.concurrent.TimeUnit.MILLISECONDS)
      .transform(requiring[Long](key, "a positive time")(_ > 0L))
      .createOptional
  }

  val StreamDrain: ConfigEntry[Boolean] = entry("spark.muntin.stream.drain") {
    SQLConf
      .buildConf(_)
      .doc(
        "Whether a query with trigger(availableNow=True) emits, at its end, all windows that " +
          "no later row has closed, and rows that wait for later rows, as a batch does. The " +
          "stream has then ended: its checkpoint accepts no more rows."
      )
      .version("0.1.0")
      .booleanConf
      .createWithDefault(false)
  }

  val StreamLateRows: ConfigEntry[Option[String]] = entry("spark.muntin.stream.lateRows") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "A folder for the rows that windows over streams drop because they are late or out of " +
          "order: lines of JSON, in folders by query, micro-batch and operator. Each row has the " +
          "columns of the windows' input. Not set: such rows are only counted."
      )
      .version("0.1.0")
      .stringConf
      .transform(requiring[String](key, "the path of a folder")(_.trim.nonEmpty))
      .createOptional
  }

  val StreamUnbounded: ConfigEntry[String] = entry("spark.muntin.stream.unbounded") { key =>
    SQLConf
      .buildConf(key)
      .doc(
        "How to treat a query over streams whose state grows forever, such as window_by " +
          "without obsolete. 'warn': it runs, and Muntin logs a warning. 'error': it is " +
          "rejected."
      )
      .version("0.1.0")
      .stringConf
      .transform(oneOf(key, "warn", "error"))
      .createWithDefault("warn")
  }

  /**
   * Returns true if rows of streams have their results in the micro-batch that brings them: in the
   * orders `arrival` and `group`.
   */
  def isByArrival(conf: SQLConf): Boolean = conf.getConf(StreamOrder) != "watermark"

  /** Returns true if rows advance time for all groups of a stream: in the order `arrival`. */
  def isByNewest(conf: SQLConf): Boolean = conf.getConf(StreamOrder) == "arrival"

  /** Returns true if each group of a stream has its own time: in the order `group`. */
  def isByGroup(conf: SQLConf): Boolean = conf.getConf(StreamOrder) == "group"

  /** The prefix of all settings. */
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
    StreamChange,
    StreamWarmMemory,
    StreamCloseAfter,
    StreamTtl,
    StreamDrain,
    StreamLateRows,
    StreamUnbounded
  ).map(_.key).toSet

  /** Registers the settings with Spark, for `SET -v`, before any setting is read. */
  def register(): Unit = ()

  /** Returns the value of a setting; fails if `isValid` is false for it. */
  private def requiring[T](key: String, expected: String)(isValid: T => Boolean)(value: T): T =
    if (isValid(value)) value
    else {
      throw new MuntinRuntimeException(
        "MUNTIN_INVALID_SETTING",
        "setting" -> key,
        "value" -> s"$value",
        "expected" -> expected
      )
    }

  private def oneOf(key: String, words: String*): String => String =
    requiring[String](key, words.mkString("'", "' or '", "'"))(words.contains(_))

  // One JVM may load this class twice, through two class loaders (ADD JAR in two applications), but
  // a key can be built only once.
  private def entry[T](key: String)(build: String => ConfigEntry[T]): ConfigEntry[T] =
    ConfigEntry.findEntry(key) match {
      case null => build(key)
      case known => known.asInstanceOf[ConfigEntry[T]]
    }
}
