package org.apache.spark.sql.muntin.spark

import scala.jdk.CollectionConverters._
import scala.util.control.NoStackTrace

import org.antlr.v4.runtime.{CommonTokenStream, ListTokenSource, Token}
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface, SqlBaseParser}
import org.apache.spark.sql.execution.SparkSqlParser

/**
 * A session's SQL parser. It delegates to `parent`, the parser that the session has without Muntin.
 * If `parent` rejects a text, the text is parsed again with some tokens replaced. Tokens keep their
 * positions, so errors refer to positions in the original text, and views store the original text.
 *
 * @param change
 *   returns the replaced tokens; None if there is nothing to replace, and the error stays
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
          // Throws the later of the two errors: an earlier error may be about Muntin's own syntax.
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

  /** Spark parses a text again if the first, faster mode fails. */
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
