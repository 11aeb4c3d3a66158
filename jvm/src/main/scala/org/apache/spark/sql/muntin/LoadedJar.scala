package org.apache.spark.sql.muntin

import org.apache.spark.SparkContext

/**
 * The jar that this code was loaded from. After ADD JAR in a JVM, later applications in the JVM
 * also load classes from the jar, but their executors do not have it.
 */
private[muntin] object LoadedJar {
  def giveToExecutors(): Unit =
    for {
      context <- SparkContext.getActive
      loader = getClass.getClassLoader
      if loader ne ClassLoader.getSystemClassLoader // otherwise, executors have it, too
      source <- Option(getClass.getProtectionDomain.getCodeSource)
      jar = source.getLocation.toString
      name = jar.substring(jar.lastIndexOf('/'))
      if name.endsWith(".jar") && !context.listJars().exists(_.endsWith(name))
    } context.addJar(jar)
}
