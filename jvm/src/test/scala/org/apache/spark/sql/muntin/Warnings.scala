package org.apache.spark.sql.muntin

import scala.collection.mutable

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, LoggerContext}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{LoggerConfig, Property}

/** The log messages of a class. */
object Warnings {

  /** Returns the warnings of `source` while `body` runs. */
  def of(source: Class[_])(body: => Any): Seq[String] = lines(source, Level.WARN)(body)

  /** Returns the log messages of `source` at this level and above while `body` runs. */
  def lines(source: Class[_], level: Level)(body: => Any): Seq[String] = {
    val found = mutable.ArrayBuffer.empty[String]
    val name = source.getName.stripSuffix("$")
    val appender = new AbstractAppender("warnings", null, null, false, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        found.synchronized(found += event.getMessage.getFormattedMessage): Unit
    }
    appender.start()
    val context = LogManager.getContext(false).asInstanceOf[LoggerContext]
    val logger = new LoggerConfig(name, level, false)
    logger.addAppender(appender, level, null)
    context.getConfiguration.addLogger(name, logger)
    context.updateLoggers()
    try body
    finally {
      context.getConfiguration.removeLogger(name)
      context.updateLoggers()
    }
    found.synchronized(found.toSeq)
  }
}
