package org.apache.spark.sql.muntin.spark

import scala.jdk.CollectionConverters._
import scala.util.control.NoStackTrace

import org.antlr.v4.runtime.{CommonTokenStream, ListTokenSource, Token}
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface, SqlBaseParser}
import org.apache.spark.sql.execution.SparkSqlParser

/**
 * A session's parser of SQL: the one that the session would have without Muntin, `parent`. Only a
 * text that `parent` does not understand is read once more, with other tokens in the place of those
 * that Spark's lexer makes of it: tokens keep their places in the text, so that the places that
 * errors name, and the text that a view is stored with, are those of the text itself.
 *
 * @param change
 *   the tokens to read instead; None where there is nothing to change, and the error stands
 */
final class ParserWithTokens(
    override protected val parent: ParserInterface,
    change: Seq[Token] => Option[Seq[Token]]
) extends ParentParser {
  private val own = new TokenParser(change)

  override protected def orExtended[T](parents: => T)(owns: SparkSqlParser => T): T =
    try parents
    catch {
      case first: ParseException =>
        try owns(own)
        catch {
          case Unchanged => throw first
          // Of two errors the one that is further behind: the other may be about our own words.
          case second: ParseException => throw (if (isBefore(second, first)) first else second)
        }
    }

  private def isBefore(a: ParseException, b: ParseException): Boolean = {
    val places = for {
      line <- a.start.line
      otherLine <- b.start.line
      column <- a.start.startPosition
      otherColumn <- b.start.startPosition
    } yield line < otherLine || (line == otherLine && column < otherColumn)
    places.getOrElse(false)
  }
}

/** Spark's parser, over changed tokens. */
private[spark] final class TokenParser(change: Seq[Token] => Option[Seq[Token]])
    extends SparkSqlParser {
  override protected def parse[T](command: String)(toResult: SqlBaseParser => T): T =
    super.parse(command)(over(toResult))

  /** Spark reads a text twice where the first, faster way of reading it fails. */
  private def over[T](toResult: SqlBaseParser => T): SqlBaseParser => T = {
    var tokens = Option.empty[Seq[Token]]
    parser => {
      if (tokens.isEmpty) {
        val made = parser.getTokenStream.asInstanceOf[CommonTokenStream]
        made.fill()
        tokens = change(made.getTokens.asScala.toSeq)
      }
      val source = new ListTokenSource(tokens.getOrElse(throw Unchanged).asJava)
      parser.setTokenStream(new CommonTokenStream(source))
      toResult(parser)
    }
  }
}

private object Unchanged extends RuntimeException with NoStackTrace
