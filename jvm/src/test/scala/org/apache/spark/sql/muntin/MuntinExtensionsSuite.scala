package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}
import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import io.muntin.Muntin
import io.muntin.kernel.MuntinSuite
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.{
  AnalysisException,
  SparkSession => AnySession,
  SparkSessionExtensions,
  SparkSessionExtensionsProvider
}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.errors.ErrorConditions
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.plans.over.OverStrategy
import org.scalatest.BeforeAndAfterEach

class MuntinExtensionsSuite extends MuntinSuite with BeforeAndAfterEach {
  private val LoadExtensions = "spark.sql.extensions.test.loadFromCp"
  private val Extensions = "spark.sql.extensions"

  override protected def beforeEach(): Unit = SharedContext.stop()

  private def session(settings: (String, String)*): SparkSession = {
    val builder = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false")
    settings.foreach { case (key, value) => builder.config(key, value) }
    builder.getOrCreate()
  }

  override protected def afterEach(): Unit = {
    SparkSession.getDefaultSession.foreach(_.stop())
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
  }

  private def ours(extensions: SparkSessionExtensions, s: SparkSession): Int =
    extensions.buildPlannerStrategies(s).count(_.isInstanceOf[OverStrategy])

  private def strategiesOf(s: AnySession): Int =
    s.asInstanceOf[SparkSession].sessionState.planner.strategies.count(_.isInstanceOf[OverStrategy])

  private def bare(settings: (String, String)*): SparkSession = {
    // PySpark reads the flag when it creates a session; here it means "no jar".
    val context = new org.apache.spark.SparkContext(
      new org.apache.spark.SparkConf()
        .setMaster("local[1]")
        .setAppName("bare")
        .set("spark.ui.enabled", "false")
        .set(LoadExtensions, "false")
        .setAll(settings)
    )
    val made = new SparkSession(context)
    SparkSession.setDefaultSession(made)
    made
  }

  test("META-INF/services names the extensions") {
    val found = ServiceLoader.load(classOf[SparkSessionExtensionsProvider]).asScala
    assert(found.count(_.isInstanceOf[MuntinExtensions]) === 1)
  }

  test("a session is active with only the jar on its class path") {
    assert(strategiesOf(session()) === 1)
  }

  test("spark.sql.extensions in addition to META-INF/services adds nothing twice") {
    assert(strategiesOf(session(Extensions -> classOf[MuntinExtensions].getName)) === 1)
  }

  test("spark.sql.extensions is sufficient") {
    assert(strategiesOf(bare(Extensions -> classOf[MuntinExtensions].getName)) === 1)
  }

  test("a second application has no effect; other extensions are independent") {
    val extensions = new SparkSessionExtensions
    assert(Activation.applyOnce(extensions))
    assert(Activation.applyOnce(extensions))
    val s = session()
    assert(ours(extensions, s) === 1)
    val other = new SparkSessionExtensions
    assert(Activation.applyOnce(other))
    assert(ours(other, s) === 1)
  }

  test("a failed application leaves no rules, and a retry adds nothing twice") {
    val extensions = new SparkSessionExtensions
    val s = session()
    def lost: Injections.Injection = throw new NoClassDefFoundError("the last part's")
    assert(
      !Activation.applyOnce(extensions, () => Injections.all() :+ lost)
    )
    assert(!Activation.isIn(extensions))
    assert(ours(extensions, s) === 0)
    assert(extensions.buildCheckRules(s).isEmpty)
    assert(Activation.applyOnce(extensions))
    assert(ours(extensions, s) === 1)
    val checks = extensions.buildCheckRules(s).map(_.getClass)
    assert(checks.nonEmpty && checks === checks.distinct)
  }

  test("another minor version of Spark turns Muntin off, another patch does not") {
    val (own, others) =
      Seq("3.5.9", "4.0.1", "4.1.0", "4.2.0", "4.3.0", "4.4.0", "5.3.0", "4.30.1", "4").partition {
        _.startsWith(s"${ThisJar.SPARK}.")
      }
    others.foreach { running =>
      assert(!ThisJar.fits(running), running)
      val extensions = new SparkSessionExtensions
      MuntinExtensions.applyOn(running, extensions)
      assert(!Activation.isIn(extensions))
      assert(extensions.buildPlannerStrategies(session()).isEmpty)
      assert(ThisJar.whyNot(running).contains(running))
    }
    (own ++ Seq(".7", ".1-SNAPSHOT").map(ThisJar.SPARK + _)).foreach { running =>
      assert(ThisJar.fits(running), running)
    }
  }

  test("a right jar that a wrong jar shadows is found") {
    val folder = Files.createTempDirectory("jars")
    val jars = Seq("4.3", "4.0").map { spark =>
      val jar = folder.resolve(s"muntin-spark-${spark}_2.13-0.1.0.jar")
      val file = new java.util.zip.ZipOutputStream(Files.newOutputStream(jar))
      file.putNextEntry(new java.util.zip.ZipEntry("io/muntin/version"))
      file.close()
      jar.toUri.toURL
    }
    val loader = new java.net.URLClassLoader(jars.toArray, null)
    assert(ThisJar.jarNamed("muntin-spark-4.0", loader) === jars(1))
    assert(ThisJar.jarNamed("muntin-spark-4.1", loader) === null)
    loader.close()
  }

  test("the jar is for the Spark that it is compiled against") {
    assert(ThisJar.fits(SPARK_VERSION))
  }

  // The Java classes of the jar do not read error-conditions.json.
  private def message(condition: String, parameters: (String, String)*): String =
    ErrorConditions(condition).message(parameters.toMap + ("version" -> ThisJar.VERSION))

  test("the texts of a jar that is turned off equal the messages of their conditions") {
    assert(ThisJar.failed() === message("MUNTIN_FAILED_TO_START"))
    val sparks = Seq("spark" -> ThisJar.SPARK, "running" -> "5.3.0")
    assert(ThisJar.whyNot("5.3.0") ===
      message("MUNTIN_JAR_FOR_OTHER_SPARK", sparks :+ ("jar" -> "muntin-spark-5.3"): _*))
    val right = new java.net.URL("file:/jars/right.jar")
    assert(ThisJar.ofOther("5.3.0", right) ===
      message("MUNTIN_JAR_BEFORE_RIGHT_JAR", sparks :+ ("path" -> "/jars/right.jar"): _*))
    val command = "java -cp the-jar-of-Muntin org.apache.spark.sql.muntin.SparkReferences " +
      "folder-of-Spark's-jars"
    assert(SparkReferences.whyOff("5.3.0", java.util.Arrays.asList("a.B", "a.C")) === message(
      "MUNTIN_INCOMPATIBLE_SPARK",
      sparks ++ Seq("missing" -> "a.B (and 1 more)", "command" -> command): _*
    ))
  }

  test("a Java that the jar does not support turns Muntin off") {
    Seq("1.8", "9").foreach { java =>
      assert(ThisJar.whyNot(SPARK_VERSION, java) === message(
        "MUNTIN_UNSUPPORTED_JAVA",
        "required" -> BuiltFor.JAVA.toString,
        "spark" -> ThisJar.SPARK,
        "java" -> java
      ))
    }
    Seq("17", "25").foreach(java => assert(ThisJar.whyNot(SPARK_VERSION, java) === null))
  }

  test("the switch turns Muntin off for every way of adding it to the session") {
    val s = session(
      "spark.muntin.enabled" -> "false",
      Extensions -> classOf[MuntinExtensions].getName
    )
    assert(strategiesOf(s) === 0)
    assert(!Registration.isActive(s))
    assert(!s.catalog.functionExists("muntin.window_by"))
    val said = Warnings.of(Registration.getClass)(assert(Muntin.register(s) eq s))
    assert(said.size === 1 && said.head.startsWith(
      "[MUNTIN_TURNED_OFF] Muntin is turned off by the setting `spark.muntin.enabled=false`. To "
    ))
    assert(!Registration.isActive(s))
  }

  test("the switch: every value except true turns Muntin off") {
    Seq(null, "true", " TRUE ", "").foreach { on =>
      assert(MuntinExtensions.switchedOff(on, on) === null)
      Seq("false", "FALSE", "off", "0").foreach { off =>
        assert(MuntinExtensions.switchedOff(off, on) === message(
          "MUNTIN_TURNED_OFF",
          "kind" -> "setting",
          "switch" -> s"spark.muntin.enabled=$off"
        ))
        assert(MuntinExtensions.switchedOff(on, s"$off ") === message(
          "MUNTIN_TURNED_OFF",
          "kind" -> "environment variable",
          "switch" -> s"MUNTIN_ENABLED=$off"
        ))
      }
    }
  }

  test("a running session rejects the switch") {
    val s = session()
    val e = intercept[AnalysisException](s.conf.set("spark.muntin.enabled", "false"))
    assert(e.getMessage.contains("spark.muntin.enabled"))
    assert(strategiesOf(s) === 1)
  }

  test("register returns a running session's clone, with its views, settings and functions") {
    val running = bare()
    running.range(3).createTempView("three")
    running.conf.set("spark.sql.shuffle.partitions", "7")
    running.udf.register("twice", (x: Long) => x * 2)
    assert(!Registration.isActive(running))
    assert(strategiesOf(running) === 0)

    val registered = Registration.register(running)
    assert(registered ne running)
    assert(Registration.isActive(registered))
    assert(strategiesOf(registered) === 1)
    assert(registered.conf.get("spark.sql.shuffle.partitions") === "7")
    assert(registered.sql("SELECT sum(twice(id)) FROM three").head().getLong(0) === 6)
    assert(registered.sql(
      WindowBy.definition.query
    ).count() === WindowBy.definition.rows.size)
    assert(Registration.isActive(registered.newSession()))

    assert(Registration.register(registered) eq registered)
    val again = Registration.register(running)
    assert(again ne running)
    assert(Registration.isActive(again))
    assert(strategiesOf(again) === 1)
    assert(strategiesOf(running) === 1)
  }

  test("a session that was used before another session is registered as well") {
    val running = bare()
    val (used, unused) = (running.newSession(), running.newSession())
    assert(used.range(3).count() === 3)
    Registration.register(running)
    assert(!Registration.isActive(used))
    val registered = Registration.register(used)
    assert(registered ne used)
    assert(registered.sql(
      WindowBy.definition.query
    ).count() === WindowBy.definition.rows.size)
    assert(Registration.isActive(unused))
    assert(unused.sql(
      WindowBy.definition.query
    ).count() === WindowBy.definition.rows.size)
  }

  test("register of a session with Muntin returns this session") {
    val active = session()
    assert(Muntin.register(active) eq active)
  }

  test("the settings are declared, and can be set and unset") {
    val s = session()
    assert(s.conf.get("spark.muntin.over.enabled") === "true")
    s.conf.set("spark.muntin.over.enabled", "false")
    assert(!s.sessionState.conf.getConf(MuntinConf.OverEnabled))
    intercept[IllegalArgumentException](s.conf.set("spark.muntin.over.enabled", "perhaps"))
    val listed = s.sql("SET -v").filter("key LIKE 'spark.muntin.%'").collect()
    assert(listed.map(_.getString(0).stripPrefix("spark.muntin.")).toSet === Set(
      "asof.enabled",
      "enabled",
      "exchange.enabled",
      "over.enabled",
      "over.permissive",
      "panes.enabled",
      "sort.enabled",
      "split.chunkSize",
      "split.enabled",
      "split.partitionFactor",
      "stream.closeAfter",
      "stream.ttl",
      "stream.drain",
      "stream.lateRows",
      "stream.order",
      "stream.outOfOrder",
      "stream.change",
      "stream.unbounded",
      "stream.warmMemory"
    ))
  }

  test("the version equals the version of the Python package") {
    val python = Files.readString(Path.of("..", "python", "muntin", "_version.py"))
    assert(python.trim === s"""__version__ = "${Muntin.version}"""")
  }
}
