package org.apache.spark.sql.muntin

import java.util.{Collections, WeakHashMap}

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.muntin.Injections.Injection
import org.apache.spark.sql.muntin.spark.RegisteredConditions

/** Which sessions' extensions have Muntin's injections, on a Spark that the jar fits. */
private[muntin] object Activation {

  // SparkSessionExtensions does not define equality, so the set compares identity.
  private val applied =
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])

  /**
   * Applies to `extensions` once, even if it is called several times. Returns true if the
   * extensions contain Muntin now. A failed start changes nothing, so that a later call can try
   * again.
   */
  def applyOnce(extensions: SparkSessionExtensions): Boolean =
    applyOnce(extensions, () => Injections.all())

  def applyOnce(extensions: SparkSessionExtensions, collect: () => Seq[Injection]): Boolean =
    applied.synchronized {
      if (applied.contains(extensions)) true
      else {
        try {
          val injections = collect()
          LoadedJar.giveToExecutors()
          RegisteredConditions.add(): Unit
          injections.foreach(_(extensions))
          applied.add(extensions)
        } catch {
          case e @ (_: LinkageError | NonFatal(_)) =>
            MuntinExtensions.warn(ThisJar.failed(), e)
            false
        }
      }
    }

  def isIn(extensions: SparkSessionExtensions): Boolean =
    applied.synchronized(applied.contains(extensions))
}
