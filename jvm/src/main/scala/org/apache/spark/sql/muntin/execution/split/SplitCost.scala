package org.apache.spark.sql.muntin.execution.split

/**
 * Into how many chunks a partition is split, and whether its rows are exchanged by range for them.
 */
final case class SplitChoice(chunks: Int, isExchanged: Boolean) {
  def isSplit: Boolean = chunks > 1
}

object SplitChoice {

  /** One task has all rows. */
  val Whole: SplitChoice = SplitChoice(1, isExchanged = false)
}

/**
 * Which chunks read their partition twice: those with a chunk before them (`before`), or those with
 * a chunk behind them (`after`).
 */
final case class ReadTwice(before: Boolean, after: Boolean) {

  /** How many times all chunks together read the partition. */
  def reads(chunks: Int): Int =
    if (chunks == 1) 1
    else if (before && after) 2 * chunks
    else if (before || after) 2 * chunks - 1
    else chunks

  /** How often the chunk reads the partition that reads it most often. */
  def mostOfOne: Int = if (before || after) 2 else 1
}

object ReadTwice {
  val Never: ReadTwice = ReadTwice(before = false, after = false)
}

/**
 * What it costs to split a partition of `bytes`, which `mappers` wrote, in a stage that has
 * `others` bytes to sort and frame besides, on so many `cores`. `twice`: which chunks read it twice
 * where it is not exchanged.
 *
 * A byte takes R to be read (fetched, decompressed, compared with the ends of a chunk, passed
 * over), S to be sorted, framed and given out, and E to be exchanged, besides its reading. A block
 * takes O to be opened that one mapper wrote and that is read apart from others. A stage takes as
 * long as its longest task, and no less than all of its work divided by the cores. So n chunks of B
 * bytes, which M mappers wrote, take
 *
 *   whole       max((R + S) B, work / cores)
 *               where work = (R + S) (B + others)
 *   read        max(k (R B + O M) + S B / n, work / cores)
 *               where work = m (R B + O M) + S B + (R + S) others
 *   exchanged   F + (R B + O M + E B) / min(n, M) + max((R + S) B / n, work / cores)
 *               where work = (R + S) (B + others)
 *
 * Chunks that read the partition read all of it: the chunk that reads it most often k times, all
 * together m times. One chunk more saves S B / n (n + 1) of the time, and costs R B of disks and
 * network that others share. By this square-root law both are even at n = sqrt(S / R): between one
 * and two for the cheapest frames, three for frames that cost nine times as much as reading. So m
 * is three at most, which is three chunks that read all once each. An exchange reads and writes
 * each byte once more, in a stage of its own, which takes F to begin; then any number of chunks
 * read each its own bytes once. What takes the least time is chosen; of equal times the fewer
 * chunks, and rather no exchange.
 *
 * A key of so many bytes, alone in its stage, written by 200 mappers, in chunks of 16 MiB at least:
 * the chunks, and seconds.
 *
 *   cores       256 MiB                 10 GiB                    100 GiB
 *       1       1                 5.4   1                 214.7   1                  2147.5
 *       2       2, read           3.8   2, read           150.3   2, read            1503.3
 *      16       16, exchanged     0.6   16, exchanged      21.6   16, exchanged       214.8
 *   1,000       16, exchanged     0.6   640, exchanged      1.1   1,000, exchanged      8.7
 *
 * R, S, E and O are CPU time of tasks over 3,000,000 rows (43.7 MB of the shuffle, compressed) with
 * sum, avg, min, max and count over 1,000 rows: 0.75 s as a whole, 0.56 s each of two chunks, 0.48
 * s each of three, 0.52 s for the exchange of all; 0.13 s more for 1,000 mappers. S is higher where
 * growing sums and variances are computed (13 ns), and for medians and the like far higher; 12 ns
 * stands between. SplitCostSuite has the table.
 */
final case class SplitCost(
    cores: Int,
    bytes: Long,
    others: Long,
    mappers: Int,
    twice: ReadTwice = ReadTwice.Never
) {
  import SplitCost._

  // Mapper by mapper.
  private val reading = Read * bytes + Open * mappers
  private val sorting = Sort * bytes
  private val workOfOthers = (Read + Sort) * others

  /** What takes the least time, with `most` chunks or fewer. */
  def choose(most: Int, canExchange: Boolean): SplitChoice = {
    val direct = (1 to most).takeWhile(n => n == 1 || twice.reads(n) <= MostReads)
    val read = direct.map(n => SplitChoice(n, isExchanged = false))
    val exchanged = if (canExchange) (2 to most).map(SplitChoice(_, isExchanged = true)) else Nil
    // Of equal times, the first: the fewest chunks, without an exchange.
    (read ++ exchanged).minBy(seconds)
  }

  /**
   * Whether so many chunks are no slower where they read the whole partition than where the
   * partition is exchanged.
   */
  def isFasterRead(chunks: Int): Boolean = twice.reads(chunks) <= MostReads &&
    seconds(SplitChoice(chunks, isExchanged = false)) <=
    seconds(SplitChoice(chunks, isExchanged = true))

  /** How many seconds the stage takes, and before it the stage of the exchange. */
  def seconds(choice: SplitChoice): Double = choice match {
    case SplitChoice(1, _) => stage(Read * bytes + sorting, Read * bytes + sorting)
    case SplitChoice(n, true) =>
      Begin + (reading + Exchange * bytes) / math.min(n, mappers) +
        stage((Read * bytes + sorting) / n, Read * bytes + sorting)
    case SplitChoice(n, false) =>
      stage(twice.mostOfOne * reading + sorting / n, twice.reads(n) * reading + sorting)
  }

  private def stage(longest: Double, work: Double): Double =
    math.max(longest, (work + workOfOthers) / cores)
}

object SplitCost {

  /** How many times the chunks of a partition that is not exchanged read it, all together. */
  val MostReads: Int = 3

  // Seconds for a byte of the shuffle.
  private val Read = 8e-9
  private val Sort = 12e-9
  private val Exchange = 4e-9

  // For a block of a mapper.
  private val Open = 1.3e-4

  // Until the tasks of another stage run.
  private val Begin = 0.1
}
