package org.apache.spark.sql.muntin

import java.nio.file.{Files, Path}
import java.util.regex.Pattern

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.muntin.kernel.MuntinSuite

/**
 * Names of Spark that only the folder of a Spark version may use: classes that were added, removed,
 * moved or changed between Spark 3.5 and 4.3, and classes that are private to Spark. Case classes
 * that only that folder may build or take apart by position, because their parameters changed, or
 * because many files use them. Methods that only that folder may call. There are no exceptions.
 *
 * Names that are equal in the jars of 3.5.9, 4.0.0, 4.1.0, 4.2.0 and 4.3.0 are not on the lists,
 * although some of them are not a public API: SparkStrategy (classic.Strategy is another name for
 * it, which 3.5 does not have), PhysicalWindow, the stateless operators that others extend
 * (SparkPlan, UnaryExecNode, CodegenSupport), MemoryConsumer, the settings' ConfigEntry, and of a
 * task and an RDD killTaskIfInterrupted, taskMemoryManager, its metrics, and mapPartitionsInternal.
 */
class SparkBoundaryWallSuite extends MuntinSuite {
  private val Sql = "org.apache.spark.sql"
  private val Expressions = s"$Sql.catalyst.expressions"
  private val Logical = s"$Sql.catalyst.plans.logical"
  private val Physical = s"$Sql.execution"
  private val Stateful = s"$Physical.streaming.operators.stateful"

  /** Only the folders of Spark versions name them. */
  private val hidden: Seq[String] =
    named(Expressions)(
      "CollationAwareXxHash64",
      "CollationKey",
      "FunctionTableSubqueryArgumentExpression",
      "NumericEvalContext",
      "PythonUDAF",
      "RaiseError",
      "Subtract",
      "TimestampAddInterval",
      "With",
      "XxHash64Function"
    ) ++
      named(s"$Sql.types")("TimeType", "VariantType") ++
      named(s"$Expressions.aggregate")("ListAgg") ++
      named(s"$Sql.catalyst.util")("UnsafeRowUtils") ++
      named(Logical)("FunctionSignature", "JoinHint", "NamedParametersSupport") ++
      named(Sql)("ExtendedExplainGenerator") ++
      named(s"$Sql.classic")("SparkSession", "Strategy") ++
      named(Physical)(
        "CoalescedPartitionSpec",
        "PartialMapperPartitionSpec",
        "SortExec",
        "UnsafeRowSerializer",
        "WholeStageCodegenExec"
      ) ++
      named(s"$Physical.adaptive")("AQEShuffleReadExec", "ShuffleQueryStageExec") ++
      named(s"$Physical.aggregate")("ScalaAggregator") ++
      named(s"$Physical.command")("CreateSQLFunctionCommand") ++
      named(s"$Physical.datasources.v2")("DataSourceV2Relation") ++
      named(s"$Physical.datasources.v2.state")("StateTable") ++
      named(s"$Physical.datasources.v2.state.metadata")("StateMetadataPartitionReader") ++
      named(s"$Physical.exchange")("ShuffleExchangeExec") ++
      named(s"$Physical.metric")("SQLShuffleReadMetricsReporter") ++
      named(s"$Physical.python")(
        "ArrowPythonRunner",
        "HybridRowQueue",
        "MapInBatchEvaluatorFactory",
        "PythonSQLMetrics"
      ) ++
      named(s"$Physical.streaming")("ContinuousTrigger", "RealTimeTrigger") ++
      named(s"$Physical.streaming.checkpointing")(
        "CommitLog",
        "OffsetSeqLog",
        "OffsetSeqMetadata"
      ) ++
      named(s"$Physical.streaming.runtime")(
        "IncrementalExecution",
        "StreamExecution",
        "StreamingQueryWrapper",
        "WatermarkPropagator"
      ) ++
      named(s"$Physical.streaming.state")(
        "NoPrefixKeyStateEncoderSpec",
        "RangeKeyScanStateEncoderSpec",
        "RocksDBStateStoreProvider",
        "StateStore"
      ) ++
      named(Stateful)(
        "StateStoreSaveExec",
        "StateStoreWriter",
        "StatefulOperatorCustomMetric",
        "StatefulOperatorCustomSumMetric",
        "StatefulOperatorStateInfo",
        "StreamingGlobalLimitExec"
      ) ++
      named(s"$Stateful.transformwithstate")("TransformWithStateExec") ++
      named(s"$Sql.streaming")("StateOperatorProgress") ++
      named("org.apache.spark")(
        "MapOutputTrackerMaster",
        "PartitionIdPassthrough",
        "ShuffleDependency",
        "SparkArithmeticException",
        "SparkEnv",
        "SparkRuntimeException"
      ) ++
      named("org.apache.spark.executor")("ShuffleWriteMetrics") ++
      named("org.apache.spark.rdd")("DeterministicLevel") ++
      named("org.apache.spark.storage")("CacheId") ++
      named("org.apache.spark.util")("CompletionIterator", "KnownSizeEstimation") ++
      named("org.apache.spark.util.collection.unsafe.sort")(
        "RadixSort",
        "UnsafeSorterSpillWriter"
      ) ++
      named("org.apache.spark.util.random")("XORShiftRandom")

  /** Other files may name these classes, but not build them or take them apart. */
  private val whole: Seq[String] =
    named(s"$Sql.catalyst.analysis")("UnresolvedFunction") ++
      named(s"$Expressions.aggregate")(
        "AggregateExpression",
        "CollectList",
        "CollectSet",
        "Mode"
      ) ++
      named(Expressions)("SpecifiedWindowFrame", "WindowExpression", "WindowSpecDefinition") ++
      named(Logical)("Aggregate", "Join", "Window")

  /** Only the folders of Spark versions call these methods. */
  private val calls: Seq[String] = Seq(
    "assertValidAggregation",
    "builtinFunctionIdentifier",
    "foreachWithSubqueries",
    "hasDistinctOrderAmbiguity",
    "injectHintResolutionRule",
    "mapPartitionsWithIndexInternal",
    "orderingWithinGroup",
    "reverseOpt",
    "sessionState",
    "sharedState"
  )

  private def named(in: String)(names: String*): Seq[String] = names.map(n => s"$in.$n")

  /** A file outside of the folders of Spark versions: its imports, and its other code. */
  private case class Source(name: String, imports: Set[String], code: String) {
    private val words: Set[String] = "[A-Za-z_]\\w*".r.findAllIn(code).toSet

    /** Returns true if the file imports a class of Spark, or uses its name with this suffix. */
    def has(whole: String, end: String): Boolean = {
      val at = whole.lastIndexOf('.')
      val (in, simple) = (whole.take(at), whole.drop(at + 1))
      (end.isEmpty && imports(whole)) ||
      (words(simple) && (imports(whole) || imports(s"$in._")) && !isOwn(simple) &&
        s"(?<![\\w.])$simple\\b${Pattern.quote(end)}".r.findFirstIn(code).isDefined)
    }

    def calls(method: String): Boolean = words(method)

    private def isOwn(simple: String): Boolean =
      s"\\b(class|object|trait) $simple\\b".r.findFirstIn(code).isDefined
  }

  private lazy val sources: Seq[Source] =
    Files.walk(Path.of("src", "main", "scala")).iterator.asScala
      .filter(_.toString.endsWith(".scala"))
      .filterNot(isOfBoundary)
      .map(file => source(file.getFileName.toString, Files.readString(file)))
      .toSeq

  /** The room spark/, and files in packages of Spark. */
  private def isOfBoundary(file: Path): Boolean = {
    val path = file.toString.replace('\\', '/')
    path.contains("/sql/muntin/spark/") ||
    path.contains("/org/apache/spark/") && !path.contains("/sql/muntin/")
  }

  private def source(name: String, text: String): Source = {
    val bare = text
      .replaceAll("(?s)/\\*.*?\\*/", "")
      .replaceAll("//.*", "")
      .replaceAll("\"(\\\\.|[^\"\\\\\n])*\"", "\"\"")
    val line = "(?m)^import ([\\w.]+?)(?:\\.\\{([^}]*)\\}|(\\._))?$".r
    val imports = line.findAllMatchIn(bare).flatMap { found =>
      val path = found.group(1)
      if (found.group(3) != null) Seq(s"$path._")
      else {
        Option(found.group(2)).fold(Seq(path)) {
          _.split(",").map(n => s"$path.${n.trim.takeWhile(_ != ' ')}").toSeq
        }
      }
    }.toSet
    Source(name.stripSuffix(".scala"), imports, line.replaceAllIn(bare, ""))
  }

  private def users(name: String, end: String): (String, Seq[String]) =
    name.substring(name.lastIndexOf('.') + 1) -> sources.filter(_.has(name, end)).map(_.name).sorted

  test("Spark has the names on the lists") {
    assume(RunningSpark.isNewest)
    val loader = getClass.getClassLoader
    // Strategy is another name for a class, in a package object.
    val unknown = (hidden ++ whole).filterNot(_ == s"$Sql.classic.Strategy").filter { name =>
      Seq(name, s"$name$$").forall(n => Try(Class.forName(n, false, loader)).isFailure)
    }
    assert(unknown.isEmpty)
  }

  test("only the folders of Spark versions use or take apart the names that Spark changes") {
    assert(sources.size > 200)
    val found = hidden.map(users(_, "")) ++ whole.map(users(_, "("))
    assert(found.filter(_._2.nonEmpty) === Nil)
    val called = calls.map(c => c -> sources.filter(_.calls(c)).map(_.name))
    assert(called.filter(_._2.nonEmpty) === Nil)
  }
}
