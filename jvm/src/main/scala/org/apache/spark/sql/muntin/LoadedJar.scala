package org.apache.spark.sql.muntin

import org.apache.spark.SparkContext

/**
 * The jar that this code was loaded from. Once ADD JAR has brought it into a JVM, Spark finds it
 * there also for applications that begin later, whose executors have never heard of it.
 */
private[muntin] object LoadedJar {
  def giveToExecutors(): Unit =
    for {
      context <- SparkContext.getActive
      loader = getClass.getClassLoader
      if loader ne ClassLoader.getSystemClassLoader // else it lies where executors have it, too
      source <- Option(getClass.getProtectionDomain.getCodeSource)
      jar = source.getLocation.toString
      name = jar.substring(jar.lastIndexOf('/'))
      if name.endsWith(".jar") && !context.listJars().exists(_.endsWith(name))
    } context.addJar(jar)
}
