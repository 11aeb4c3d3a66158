package org.apache.spark.sql.muntin

import java.util.{Collections, WeakHashMap}

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.muntin.Injections.Injection

/** Which sessions' extensions have Muntin's injections, on a Spark that the jar fits. */
private[muntin] object Activation {

  // SparkSessionExtensions has no equality of its own, so these are told apart by identity.
  private val applied =
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])

  /**
   * Applies to `extensions` once, however often it is called; whether Muntin is in them now. What
   * fails to start leaves nothing behind, so that a later call begins anew.
   */
  def applyOnce(extensions: SparkSessionExtensions): Boolean =
    applyOnce(extensions, () => Injections.all())

  def applyOnce(extensions: SparkSessionExtensions, collect: () => Seq[Injection]): Boolean =
    applied.synchronized {
      if (applied.contains(extensions)) true
      else {
        try {
          val injections = collect()
          OwnJar.giveToExecutors()
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
