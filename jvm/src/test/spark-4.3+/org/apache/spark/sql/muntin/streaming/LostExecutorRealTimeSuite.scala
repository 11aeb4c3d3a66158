package org.apache.spark.sql.muntin.streaming

import java.io.File
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._
import scala.jdk.StreamConverters._

import io.muntin.kernel.{Cases, SampledTests}
import org.apache.spark.SparkContext

/**
 * Executors of a cluster are killed while a query runs in real-time mode. Each restart continues from
 * the last committed batch. `LostExecutors` is the program with the query.
 */
final class LostExecutorRealTimeSuite extends SampledTests {

  /** A Spark home that has Spark's jars, for the folders of executors. */
  private def home(folder: Path): Path = {
    val place = classOf[SparkContext].getProtectionDomain.getCodeSource.getLocation
    val home = Files.createDirectories(folder.resolve("home"))
    Files.createSymbolicLink(home.resolve("jars"), Paths.get(place.toURI).getParent): Unit
    home
  }

  private def start(folder: Path, kills: Int, seed: Int): Process = {
    val java = ProcessHandle.current.info.command.get
    val options = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.toSeq
      .filter(o => o.startsWith("--add-") || o.startsWith("-D") || o.startsWith("-XX:+Ignore"))
    val program = LostExecutors.getClass.getName.stripSuffix("$")
    val command = Seq(java, "-Xmx1g", "-XX:TieredStopAtLevel=1") ++ options ++
      Seq("-cp", System.getProperty("java.class.path"), program) ++
      Seq(folder.toString, kills.toString, seed.toString)
    val builder = new ProcessBuilder(command.asJava)
    builder.environment.put("SPARK_HOME", home(folder).toString): Unit
    // Without it, a worker looks for a build of Spark.
    builder.environment.put("SPARK_SCALA_VERSION", "2.13"): Unit
    builder.redirectErrorStream(true).redirectOutput(log(folder)).start()
  }

  private def log(folder: Path): File = folder.resolve("log").toFile

  // An executor needs several seconds to start, and the cluster needs both cores.
  if (Cases.isGate) ignore("an executor is killed at any time of a batch")(())
  else test("an executor is killed at any time of a batch") {
    assume(Files.exists(Paths.get("/proc/self/cmdline")), "executors are found in /proc")
    val folder = Files.createTempDirectory("muntin-lost")
    val kills = if (Cases.isLong) 12 else 2
    val process = start(folder, kills, Cases.seed)
    try {
      val isDone = process.waitFor(60L + 60L * kills.toLong, TimeUnit.SECONDS)
      val text = Files.readString(log(folder).toPath)
      assert(isDone && process.exitValue == 0, text)
      info(text.linesIterator.find(_.contains(" kills, ")).getOrElse(text))
    } finally {
      val all = process.descendants.toScala(Seq)
      process.destroyForcibly(): Unit
      all.foreach(_.destroyForcibly())
    }
  }
}
