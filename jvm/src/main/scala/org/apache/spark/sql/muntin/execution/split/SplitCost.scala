package org.apache.spark.sql.muntin.execution.split

/**
 * The number of chunks that a partition is split into, and whether its rows are exchanged by range
 * for them.
 */
final case class SplitChoice(chunks: Int, isExchanged: Boolean) {
  def isSplit: Boolean = chunks > 1
}

object SplitChoice {

  /** One task has all rows. */
  val Whole: SplitChoice = SplitChoice(1, isExchanged = false)
}

/**
 * Which chunks read their partition twice: the chunks that have a chunk before them (`before`), or
 * a chunk after them (`after`).
 */
final case class ReadTwice(before: Boolean, after: Boolean) {

  /** Returns how many times all chunks together read the partition. */
  def reads(chunks: Int): Int =
    if (chunks == 1) 1
    else if (before && after) 2 * chunks
    else if (before || after) 2 * chunks - 1
    else chunks

  /** Returns how many times a single chunk reads the partition at most. */
  def mostOfOne: Int = if (before || after) 2 else 1
}

object ReadTwice {
  val Never: ReadTwice = ReadTwice(before = false, after = false)
}

/**
 * Estimates the cost of splitting a partition of `bytes`, written by `mappers`, in a stage that
 * must also sort and frame `others` bytes, on `cores` cores. `twice`: which chunks read it twice if
 * it is not exchanged.
 *
 * Reading a byte (to fetch it, decompress it, compare it with the ends of a chunk, skip it) takes
 * R. To sort, frame and emit it takes S, and to exchange it takes E, besides its reading. To open a
 * block that one mapper wrote, and that is read separately, takes O. A stage takes as long as its
 * longest task, and no less than all of its work divided by the cores. So n chunks of B bytes,
 * which M mappers wrote, take
 *
 * whole       max((R + S) B, work / cores)
 *               where work = (R + S) (B + others)
 * read        max(k (R B + O M) + S B / n, work / cores)
 *               where work = m (R B + O M) + S B + (R + S) others
 * exchanged   F + (R B + O M + E B) / min(n, M) + max((R + S) B / n, work / cores)
 *               where work = (R + S) (B + others)
 *
 * Chunks that read the partition read all of it: the chunk that reads it most often k times, all
 * together m times. One more chunk saves S B / n (n + 1) of the time, and costs R B of shared disks
 * and network. By this square-root law both are even at n = sqrt(S / R): between one and two for
 * the cheapest frames, three for frames that cost nine times as much as reading. So m is three at
 * most: three chunks that read all bytes once. An exchange reads and writes each byte again, in a
 * separate stage, which takes F to begin. Then each chunk reads only its own bytes, once. Muntin
 * chooses the least time; among equal times the fewest chunks, and preferably no exchange.
 *
 * For one key in a stage, written by 200 mappers, in chunks of at least 16 MiB: the chunks, and
 * seconds.
 *
 * cores       256 MiB                 10 GiB                    100 GiB
 *       1       1                 5.4   1                 214.7   1                  2147.5
 *       2       2, read           3.8   2, read           150.3   2, read            1503.3
 *      16       16, exchanged     0.6   16, exchanged      21.6   16, exchanged       214.8
 * 1,000       16, exchanged     0.6   640, exchanged      1.1   1,000, exchanged      8.7
 *
 * R, S, E and O are CPU time of tasks over 3,000,000 rows (43.7 MB of the shuffle, compressed) with
 * sum, avg, min, max and count over 1,000 rows: 0.75 s as a whole, 0.56 s each of two chunks, 0.48
 * s each of three, 0.52 s for the exchange of all; 0.13 s more for 1,000 mappers. S is higher for
 * growing sums and variances (13 ns), and far higher for medians and similar functions; 12 ns is a
 * compromise. SplitCostSuite has the table.
 */
final case class SplitCost(
    cores: Int,
    bytes: Long,
    others: Long,
    mappers: Int,
    twice: ReadTwice = ReadTwice.Never
) {
  import SplitCost._

  // Reads mapper by mapper.
  private val reading = Read * bytes + Open * mappers
  private val sorting = Sort * bytes
  private val workOfOthers = (Read + Sort) * others

  /** Returns the choice with the least time, among at most `most` chunks. */
  def choose(most: Int, canExchange: Boolean): SplitChoice = {
    val direct = (1 to most).takeWhile(n => n == 1 || twice.reads(n) <= MostReads)
    val read = direct.map(n => SplitChoice(n, isExchanged = false))
    val exchanged = if (canExchange) (2 to most).map(SplitChoice(_, isExchanged = true)) else Nil
    // Among equal times, the first: the fewest chunks, without an exchange.
    (read ++ exchanged).minBy(seconds)
  }

  /**
   * Returns true if `chunks` chunks that each read the whole partition are no slower than with an
   * exchange.
   */
  def isFasterRead(chunks: Int): Boolean = twice.reads(chunks) <= MostReads &&
    seconds(SplitChoice(chunks, isExchanged = false)) <=
    seconds(SplitChoice(chunks, isExchanged = true))

  /** Returns the seconds of the stage, including the stage of an exchange before it. */
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

  /** The most reads of a partition that is not exchanged, over all its chunks. */
  val MostReads: Int = 3

  // Seconds for a byte of the shuffle.
  private val Read = 8e-9
  private val Sort = 12e-9
  private val Exchange = 4e-9

  // Seconds for a block of a mapper.
  private val Open = 1.3e-4

  // Seconds until the tasks of another stage run.
  private val Begin = 0.1
}
