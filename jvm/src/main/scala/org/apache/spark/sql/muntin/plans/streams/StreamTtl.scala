package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.SessionNumber
import org.apache.spark.sql.muntin.expressions.common.SessionGap
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.muntin.streaming.GroupTtl
import org.apache.spark.sql.types.{MetadataBuilder, TimestampType}

/**
 * The time to live of windows over a stream. In a batch, a window with a `ttl` has one more key:
 * the number of longer gaps before the row, which an upstream window computes (TimeToLive). On a
 * stream, the state of such a key would never end. So the upstream window becomes a constant column
 * whose metadata contain the ttl, and the other windows take the ttl from their keys.
 *
 *     Window [k, n] sum(x)                          StreamWindows [k] sum(x), ttl 10
 *     +- Window [k] session_number(10) AS n    =>   +- Project 1 AS n
 */
private[plans] object StreamTtl {
  private val Units = "muntin.ttl"
  private val Text = "muntin.ttl.sql"

  /** Returns the window without the numbers that are keys of windows with a ttl. */
  def withoutNumbers(window: Window): LogicalPlan = {
    val (numbers, others) = window.windowExpressions.partition(gapOf(_).isDefined)
    if (numbers.isEmpty) window
    else {
      val below = if (others.isEmpty) window.child else window.copy(windowExpressions = others)
      val constants = numbers.map { number =>
        Alias(Literal(1), number.name)(
          number.exprId,
          explicitMetadata =
            gapOf(number).map { gap =>
              val time = window.orderSpec.head.child.dataType
              new MetadataBuilder()
                .putLong(Units, gap.wholeUnits(time))
                .putString(Text, gap.sql(time))
                .build()
            }
        )
      }
      Project(below.output ++ constants, below)
    }
  }

  private def gapOf(output: NamedExpression): Option[SessionGap] = output.collectFirst {
    case number: SessionNumber if number.ofTtl => number.gap
  }

  /** Returns the window's ttl, its argument or the setting, and the window without its key. */
  def of(window: Window): (Option[GroupTtl], Window) = {
    // References above the column may lack its metadata.
    val constants = AttributeMap(window.child.collect { case Project(list, _) =>
      list.collect { case column: Alias => column.toAttribute }
    }.flatten.flatMap(column => argument(column).map(column -> _)))
    window.partitionSpec.collectFirst {
      case key: Attribute if constants.contains(key) => key -> constants(key)
    } match {
      case None => (setting(window), window)
      case Some((key, ttl)) =>
        def others(keys: Seq[Expression]) = keys.filterNot(_.semanticEquals(key))
        val bare = window.copy(
          windowExpressions = window.windowExpressions.map(_.transform {
            case spec: WindowSpecDefinition =>
              spec.copy(partitionSpec = others(spec.partitionSpec))
          }.asInstanceOf[NamedExpression]),
          partitionSpec = others(window.partitionSpec)
        )
        (Some(ttl), bare)
    }
  }

  private def argument(column: Attribute): Option[GroupTtl] =
    Option.when(column.metadata.contains(Units)) {
      GroupTtl(column.metadata.getLong(Units), column.metadata.getString(Text))
    }

  private def setting(window: Window): Option[GroupTtl] =
    SQLConf.get.getConf(MuntinConf.StreamTtl).map { millis =>
      val gap = SessionGap(BigDecimal(millis) * 1000)
      window.orderSpec.headOption.map(_.child).filter(_.dataType != TimestampType).foreach { time =>
        throw new MuntinAnalysisException(
          "MUNTIN_TTL_SETTING_OF_OTHER_TIME",
          "setting" -> MuntinConf.StreamTtl.key,
          "time" -> toPrettySQL(time),
          "type" -> time.dataType.sql
        )
      }
      GroupTtl(gap.wholeUnits(TimestampType), gap.sql(TimestampType))
    }
}
