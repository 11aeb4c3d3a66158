import scala.collection.JavaConverters._
import scala.sys.process.Process

ThisBuild / organization := "io.muntin"
ThisBuild / version := Version.ofPackage((ThisBuild / baseDirectory).value)
ThisBuild / scalaVersion := SparkVersions.chosen.scala
// Declares which versions of Muntin are compatible, for sbt's eviction.
ThisBuild / versionScheme := Some("early-semver")

// The metadata of the POM; see `make maven` and RELEASING.md.
ThisBuild / organizationName := "Muntin"
ThisBuild / description := Publishing.description((ThisBuild / baseDirectory).value)
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0.txt"))
ThisBuild / homepage := Some(url(Publishing.address((ThisBuild / baseDirectory).value)))
ThisBuild / scmInfo := (ThisBuild / homepage).value.map(a => ScmInfo(a, s"scm:git:$a.git"))
ThisBuild / developers := List(
  Developer("muntin", "The developers of Muntin", "", url(s"${(ThisBuild / homepage).value.get}"))
)

commands += SparkVersions.choose

// The build compiles against the jars of the installed pyspark, in which Muntin runs. It downloads
// a Spark that no pyspark contains.
val sparkJars = taskKey[Seq[File]]("The jars of the chosen Spark")
val ofPyspark = taskKey[Seq[File]]("The jars of the installed pyspark")
val ofMaven = taskKey[Seq[File]]("Spark's jars, fetched")

/** Spark's jars of that patch, in a folder of the target. */
def fetched(patch: String) = Def.task[Seq[File]] {
  val folder = target.value / s"spark-$patch"
  val spark = "org.apache.spark" % s"spark-sql_${scalaBinaryVersion.value}" % patch
  val resolution = dependencyResolution.value
  val (scala, log) = (scalaModuleInfo.value, streams.value.log)
  if (!folder.exists) {
    val jars = resolution.retrieve(spark, scala, folder, log)
      .fold(unresolved => throw unresolved.resolveException, identity)
    IO.copy(jars.map(jar => jar -> folder / jar.getName)): Unit
  }
  (folder * "*.jar").get
}

/** Looks for all that the jar uses in the first patch of its Spark, which is fetched. */
def comparedWithFirst = Def.task[Unit] {
  val (first, log) = (SparkVersions.chosen.first, streams.value.log)
  val folder = fetched(SparkVersions.chosen.first).value.head.getParentFile
  val jar = (Compile / packageBin).value
  val compare = "org.apache.spark.sql.muntin.SparkReferences"
  log.info(s"Spark $first, for the jar that is built with ${SparkVersions.chosen.full}:")
  val code = Process(Seq("java", "-cp", jar.getPath, compare, folder.getPath)).!(log)
  IO.delete(folder)
  if (code != 0) sys.error(s"${jar.name} does not run on Spark $first")
}

val checkFirstPatch =
  taskKey[Unit]("Sees that the first patch of the chosen Spark has all that the jar uses")

// Bundled libraries: resolved separately, and never on a class path under their own names.
lazy val Shaded = config("shaded").hide

val shadedCron = taskKey[File]("The cron parser of cron-utils, renamed to io.muntin.shaded")

/** How many processes run the tests of `jvm`, beside one with the tests of `kernel`. */
val processes = 2

lazy val strict = Seq(
  scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked"),
  // Without a colon, because Scala 2.13.8 does not accept a colon.
  scalacOptions ++= Seq("-release", SparkVersions.chosen.java.toString, "-g:line"),
  scalacOptions ++= {
    if (scalaBinaryVersion.value == "2.12")
      Seq("-Xsource:3", "-language:implicitConversions", "-language:higherKinds")
    else if (!SparkVersions.chosen.isOfPyPI) Nil // an older compiler, with other warnings
    else Seq(
      "-Xlint:_,-byname-implicit",
      "-Wdead-code",
      "-Wunused:_",
      "-Wvalue-discard",
      "-Wextra-implicit",
      "-Werror"
    )
  }
)

lazy val tested = Seq(
  libraryDependencies ++= Seq(
    "org.scalatest" %% "scalatest" % "3.2.19" % Test,
    "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0" % Test
  ),
  Test / fork := true,
  Test / javaOptions ++= JavaModules.options,
  // The seed of ScalaCheck's random values.
  Test / testOptions +=
    Tests.Argument(TestFrameworks.ScalaTest, "-oDF", "-S", sys.env.getOrElse("MUNTIN_SEED", "0")),
  Test / testOptions ++= sys.env.get("MUNTIN_SHARD").map { shard =>
    val Array(part, parts) = shard.split("/").map(_.toInt)
    Tests.Filter(suite => Math.floorMod(suite.hashCode, parts) == part - 1)
  }
)

/** Leaves out stand-ins with these names if MUNTIN_STANDINS=no. */
def standIns(names: String*)(others: FileFilter): FileFilter =
  if (sys.env.get("MUNTIN_STANDINS").contains("no"))
    others || new SimpleFileFilter(file => names.contains(file.getName))
  else others

/** The folders beside scala/ and java/ that are for the Spark chosen. */
def sparkFolders(sources: File): Seq[File] =
  (sources * "spark-*").get.filter(f => SparkVersions.chosen.takes(f.name))

lazy val onSpark = Seq(
  sparkJars := (Def.taskIf {
    if (SparkVersions.chosen.isOfPyPI) ofPyspark.value else ofMaven.value
  }).value,
  ofPyspark := {
    val home = Process(
      Seq(
        SparkVersions.python,
        "-c",
        "import pyspark; print(pyspark.__path__[0]); print(pyspark.__version__)"
      ),
      (ThisBuild / baseDirectory).value
    ).lineStream.toList
    val List(path, installed) = home
    require(
      installed == SparkVersions.chosen.full,
      s"pyspark $installed is installed, this build is for ${SparkVersions.chosen.full}"
    )
    (file(path) / "jars" ** "*.jar").get
  },
  ofMaven := fetched(SparkVersions.chosen.full).value
)

// Motions and accumulators: no Spark on the class path.
lazy val kernel = (project in file("jvm/kernel"))
  .settings(strict, tested)
  .settings(
    name := "muntin-kernel",
    Test / javaOptions += "-Xmx1g",
    target := baseDirectory.value / "target" / SparkVersions.chosen.name
  )

lazy val jvm = (project in file("jvm"))
  .dependsOn(kernel % "compile->compile;test->test")
  .settings(strict, tested, onSpark)
  .settings(
    name := s"muntin-spark-${SparkVersions.chosen.minor}",
    Test / javaOptions += "-Xmx3g",
    // Thousands of small queries take a quarter less CPU time without the second compiler, which
    // `make test-long` uses. With only the first compiler, the default code cache has 48 MB; when
    // it is full, the JVM evicts code and compiles it again, all the time.
    Test / javaOptions ++= {
      if (sys.env.get("MUNTIN_TESTS").contains("long")) Nil
      else Seq("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=512m", "-XX:+UseParallelGC") ++
        // Otherwise the JVM collects the heap each time that more classes are generated.
        Seq("-XX:MetaspaceSize=1g", "-Djdk.lang.Process.launchMechanism=VFORK")
    },
    // Two processes run half of the suites each; a further process would load and compile Spark
    // again. The suites are dealt back and forth, the largest first, and a suite of streams counts
    // twice, so that both processes take about the same time.
    Test / testGrouping := {
      val options = (Test / forkOptions).value
      val sizes = (Test / sources).value.map(file => file.base -> file.length).toMap
      def cost(suite: TestDefinition) =
        sizes.getOrElse(suite.name.split('.').last, 0L) *
          (if (suite.name.contains(".streaming.")) 2L else 1L)
      (Test / definedTests).value.sortBy(suite => (-cost(suite), suite.name)).zipWithIndex
        .groupBy { case (_, i) =>
          if (i / processes % 2 == 0) i % processes else processes - 1 - i % processes
        }.toSeq.sortBy(_._1)
        .map { case (part, suites) =>
          Tests.Group(s"suites, part $part", suites.map(_._1), Tests.SubProcess(options))
        }
    },
    // The class that a session loads first is in Java, to report an old Spark or an old Java.
    javacOptions ++= Seq("--release", "8", "-Xlint:all,-options", "-Werror"),
    target := baseDirectory.value / "target" / SparkVersions.chosen.name,
    Compile / unmanagedSourceDirectories ++= sparkFolders((Compile / sourceDirectory).value),
    Test / unmanagedSourceDirectories ++= sparkFolders((Test / sourceDirectory).value),
    // Stand-ins for classes and settings of Spark and Hadoop, which save time in tests.
    Test / unmanagedSources / excludeFilter ~= standIns(
      "SparkClosureCleaner.scala",
      "ParentClassLoader.java",
      "QueryExecutionMetering.scala"
    ),
    Test / unmanagedResources / excludeFilter ~= standIns("core-default.xml"),
    Compile / unmanagedJars ++= Attributed.blankSeq(shadedCron.value +: sparkJars.value),
    Test / unmanagedJars ++= Attributed.blankSeq(shadedCron.value +: sparkJars.value),
    ivyConfigurations += Shaded,
    shadedCron := Shading(
      update.value.select(configurationFilter(Shaded.name)).head,
      from = "com.cronutils",
      to = "io.muntin.shaded.cronutils",
      unused =
        Seq("converter", "descriptor", "model/time", "validation").map(p => s"com/cronutils/$p/"),
      target = target.value / "shaded"
    ),
    libraryDependencies += ("com.cronutils" % "cron-utils" % "9.2.1" % Shaded).intransitive(),
    // Generates the functions of Scala programs and the texts of DESCRIBE FUNCTION.
    Compile / sourceGenerators += Def.task {
      val root = (ThisBuild / baseDirectory).value
      val target = (Compile / sourceManaged).value
      val command = Seq(".venv/bin/python", "-m", "codegen", "--scala", target.toString)
      val inputs = ((root / "codegen" ** ("*.py" || "*.toml")).get :+
        root / "jvm/src/main/scala/org/apache/spark/sql/muntin/expressions/common/SqlFunction.scala").toSet
      FileFunction.cached(streams.value.cacheDirectory / "definitions") { _ =>
        Process(command, root).lineStream.map(file(_)).toSet
      }(inputs).toSeq
    },
    Compile / sourceGenerators += Def.task {
      val file = (Compile / sourceManaged).value / "BuiltFor.java"
      val minor = SparkVersions.chosen.minor
      val scala = scalaBinaryVersion.value
      val text =
        s"""package org.apache.spark.sql.muntin;
           |
           |/** What the jar was built for. */
           |final class BuiltFor {
           |
           |    /** The minor version of Spark. */
           |    static final String SPARK = "$minor";
           |
           |    /** The minor version of Scala. */
           |    static final String SCALA = "$scala";
           |
           |    /** The first Java. */
           |    static final int JAVA = ${SparkVersions.chosen.java};
           |
           |    private BuiltFor() {}
           |}
           |""".stripMargin
      if (!file.exists || IO.read(file) != text) IO.write(file, text)
      Seq(file)
    },
    // Muntin.version reads this file, so that the jar and the Python package have one version.
    Compile / resourceGenerators += Def.task {
      val target = (Compile / resourceManaged).value / "io" / "muntin" / "version"
      if (!target.exists || IO.read(target) != version.value) IO.write(target, version.value)
      Seq(target)
    },
    // The code for Python workers: the jar sends it with the functions of a query.
    Compile / resourceGenerators += Def.task {
      val source = (ThisBuild / baseDirectory).value / "python" / "muntin" / "_worker.py"
      val target = (Compile / resourceManaged).value / "io" / "muntin" / "worker.py"
      if (!target.exists || IO.read(target) != IO.read(source)) IO.copyFile(source, target)
      Seq(target)
    },
    // The jar and the Python package read the same error conditions.
    Compile / resourceGenerators += Def.task {
      val source =
        (ThisBuild / baseDirectory).value / "python" / "muntin" / "error-conditions.json"
      val target = (Compile / resourceManaged).value / "io" / "muntin" / "error-conditions.json"
      if (!target.exists || IO.read(target) != IO.read(source)) IO.copyFile(source, target)
      Seq(target)
    },
    // The list of everything that the jar uses of Spark. A session compares it with the running Spark.
    Compile / resourceGenerators += Def.task {
      val compiled = (Compile / compile).value
      val target = (Compile / resourceManaged).value / "io" / "muntin" / "spark-references"
      val classes = compiled.readStamps.getAllProductStamps.keySet.asScala.toSeq
        .map(fileConverter.value.toPath(_).toFile).filter(_.name.endsWith(".class"))
      val text = SparkReferenceList(classes, sparkJars.value).mkString("", "\n", "\n")
      if (!target.exists || IO.read(target) != text) IO.write(target, text)
      Seq(target)
    },
    moduleName := name.value,
    publishMavenStyle := true,
    publishTo :=
      Some(MavenCache("dry run", (ThisBuild / baseDirectory).value / "build" / "maven")),
    pomIncludeRepository := (_ => false),
    pomPostProcess := (Publishing.onSparkAlone(_, SparkVersions.chosen)),
    Compile / packageSrc / mappings ++= (kernel / Compile / packageSrc / mappings).value,
    checkFirstPatch := (Def.taskIf {
      if (SparkVersions.chosen.isFirst) () else comparedWithFirst.value
    }).value,
    // The Scaladoc of the public API, for `make docs`. Comments of other packages need not be Scaladoc.
    Compile / doc / scalacOptions := (Compile / doc / scalacOptions).value
      .filterNot(option => Seq("-W", "-Xlint").exists(option.startsWith)) ++ Seq(
      "-doc-title",
      "Muntin",
      "-doc-version",
      version.value,
      "-skip-packages",
      "org:io.muntin.kernel:io.muntin.calendar:io.muntin.shaded"
    ),
    // One jar contains the kernel and the bundled libraries with their licenses.
    Compile / packageBin / mappings ++= (kernel / Compile / packageBin / mappings).value,
    Compile / packageBin / mappings ++= {
      val classes = target.value / "shaded" / "classes"
      IO.delete(classes)
      val root = (ThisBuild / baseDirectory).value
      IO.unzip(shadedCron.value, classes, (name: String) => name.endsWith(".class")).toSeq
        .flatMap(c => IO.relativize(classes, c).map(c -> _)) ++
        Seq("LICENSE", "NOTICE").map(name => root / name -> s"META-INF/$name")
    },
    // The jar is written into the Python package: the wheel includes it, and muntin.jar() finds it.
    Compile / packageBin / artifactPath := {
      val jar = s"${name.value}_${scalaBinaryVersion.value}-${version.value}.jar"
      (ThisBuild / baseDirectory).value / "python" / "muntin" / "jars" / jar
    }
  )

// sbt's defaults, except for the number of test processes at a time: those of `jvm`, and the one of
// `kernel`. If that one took the place of one of `jvm`, a single process would run at the end.
Global / concurrentRestrictions := Seq(
  Tags.limitAll(math.max(EvaluateTask.SystemProcessors, processes + 1)),
  Tags.limit(Tags.ForkedTestGroup, processes + 1),
  Tags.exclusiveGroup(Tags.Clean)
)

lazy val kernels = (project in file("benchmarks/kernels"))
  .dependsOn(jvm)
  .enablePlugins(JmhPlugin)
  .settings(strict, onSpark)
