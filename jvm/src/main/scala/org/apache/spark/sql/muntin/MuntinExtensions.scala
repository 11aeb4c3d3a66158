package org.apache.spark.sql.muntin

import java.util.{Collections, WeakHashMap}
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.muntin.expressions.{MuntinFunctions, WindowBy}
import org.apache.spark.sql.muntin.plans._
import org.slf4j.LoggerFactory

/**
 * What Muntin adds to a session. Spark finds this class itself, through META-INF/services, in every
 * session that has the jar on its class path; `spark.sql.extensions` may name it as well.
 *
 * The class leans on nothing that changes between Spark's versions: on a Spark that the jar was not
 * built for it must still load, to warn and to turn itself off.
 */
final class MuntinExtensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit =
    MuntinExtensions.applyOnce(extensions, SPARK_VERSION): Unit
}

object MuntinExtensions {
  private val log = LoggerFactory.getLogger(classOf[MuntinExtensions])
  private val warned = new AtomicBoolean(false)

  // SparkSessionExtensions has no equality of its own, so these are told apart by identity.
  private val applied =
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])

  /** Everything that is injected. */
  private def inject(extensions: SparkSessionExtensions): Unit = {
    MuntinConf.register()
    OwnJar.giveToExecutors()
    MuntinFunctions.all.foreach { function =>
      extensions.injectFunction((FunctionIdentifier(function.name), function.info, function(_)))
    }
    extensions.injectTableFunction(
      (FunctionIdentifier(WindowBy.name), WindowBy.info, WindowByTable(_))
    )
    extensions.injectHintResolutionRule(_ => PartialInputs)
    extensions.injectHintResolutionRule(_ => AroundAggregates)
    extensions.injectHintResolutionRule(_ => StreamTriggers)
    extensions.injectResolutionRule(_ => ResolvePartialInputs)
    extensions.injectResolutionRule(_ => ResolveAroundAggregates)
    extensions.injectResolutionRule(_ => PlaceFramed)
    extensions.injectResolutionRule(_ => ResolveOverAggregates)
    extensions.injectResolutionRule(_ => ResolveGroupWindows)
    extensions.injectPostHocResolutionRule(_ => PlaceGroupWindows)
    extensions.injectPostHocResolutionRule(_ => PlaceAnchoredWindows)
    extensions.injectPostHocResolutionRule(_ => PlaceStreamWindows)
    extensions.injectCheckRule(_ => CheckGroupWindows)
    extensions.injectCheckRule(_ => CheckAnchoredWindows)
    extensions.injectCheckRule(session => StreamStateStore(SparkShims.classicSession(session)))
    extensions.injectOptimizerRule(_ => CountCollected)
    extensions.injectOptimizerRule(_ => OptimizeGroupWindows)
    extensions.injectOptimizerRule(_ => OptimizeAnchoredWindows)
    extensions.injectOptimizerRule(_ => OptimizeStreamWindows)
    extensions.injectPlannerStrategy(_ => StreamWindowsStrategy)
    extensions.injectPlannerStrategy(session => OverStrategy(SparkShims.classicSession(session)))
    extensions.injectPlannerStrategy(_ => GroupWindowsStrategy)
    extensions.injectPlannerStrategy(_ => AnchoredWindowsStrategy)
    extensions.injectQueryStagePrepRule(_ => PlaceSort)
    extensions.injectQueryStagePrepRule(_ => PlaceSamples)
    extensions.injectColumnar(_ => PlaceSort.WithoutStages)
    extensions.injectQueryStageOptimizerRule(_ => SplitWindows)
  }

  /** Applies to `extensions` once, however often it is called; whether Muntin is in them now. */
  private[muntin] def applyOnce(extensions: SparkSessionExtensions, running: String): Boolean =
    applied.synchronized {
      if (applied.contains(extensions)) true
      else if (!fits(running)) {
        warn(whyNot(running))
        false
      } else {
        try {
          inject(extensions)
          applied.add(extensions)
        } catch {
          case e @ (_: LinkageError | NonFatal(_)) =>
            warn(s"Muntin ${io.muntin.Muntin.version} is turned off: it failed to start.", e)
            false
        }
      }
    }

  private[muntin] def isIn(extensions: SparkSessionExtensions): Boolean =
    applied.synchronized(applied.contains(extensions))

  /** Whether the jar was built for the minor version of Spark that `running` belongs to. */
  private[muntin] def fits(running: String): Boolean = minorOf(running) == SparkShims.minor

  private[muntin] def whyNot(running: String): String =
    s"Muntin ${io.muntin.Muntin.version} is turned off: this jar was built for Spark " +
      s"${SparkShims.minor}, and Spark $running is running. Use the jar whose name begins with " +
      s"muntin-spark-${minorOf(running)}, where there is one."

  private def minorOf(version: String): String = version.split('.').take(2).mkString(".")

  private def warn(message: String, cause: Throwable = null): Unit =
    if (warned.compareAndSet(false, true)) log.warn(message, cause)
}
