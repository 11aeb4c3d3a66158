package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.analysis.Analyzer
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SessionState
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Rules for a query before anything in it is resolved. Spark 3.5 has no extension point for such
 * rules, so a session's analyzer is replaced by an analyzer with the same rules and these.
 *
 * Each query with a function's name uses the session's parser, for the text of the query or for the
 * name. So the analyzer is replaced when the parser is first used, before a query with a Muntin
 * function can exist, and at the latest when the first query is analyzed.
 */
object EarlyRules {
  type OfSession = SparkSession => Rule[LogicalPlan]

  /** Adds the rules, in their order. */
  def inject(extensions: SparkSessionExtensions, rules: Seq[OfSession]): Unit = {
    extensions.injectParser { (session, parser) =>
      new CallbackParser(parser, () => give(session, rules))
    }
    extensions.injectResolutionRule(session => new FirstQuery(() => give(session, rules)))
  }

  /** Replaces the session's analyzer, once. */
  private def give(session: SparkSession, rules: Seq[OfSession]): Unit = {
    val state = session.sessionState
    state.synchronized {
      state.analyzer match {
        case _: EarlyAnalyzer =>
        case before => field.set(state, new EarlyAnalyzer(before, rules.map(_(session))))
      }
    }
  }

  private val field = {
    val found = classOf[SessionState].getDeclaredField("analyzer")
    found.setAccessible(true)
    found
  }

  private final class EarlyAnalyzer(before: Analyzer, early: Seq[Rule[LogicalPlan]])
      extends Analyzer(before.catalogManager) {
    override val extendedResolutionRules: Seq[Rule[LogicalPlan]] = before.extendedResolutionRules
    override val postHocResolutionRules: Seq[Rule[LogicalPlan]] = before.postHocResolutionRules
    override val extendedCheckRules: Seq[LogicalPlan => Unit] = before.extendedCheckRules

    // In the same place as in Spark 4.0: after its own rules for hints.
    override def batches: Seq[Batch] = {
      val (until, from) = super.batches.span(_.name != "Simple Sanity Check")
      until ++ (Batch("Early rules", fixedPoint, early: _*) +: from)
    }
  }

  /** Does not change the plan. */
  private final class FirstQuery(give: () => Unit) extends Rule[LogicalPlan] {
    private lazy val isGiven: Boolean = {
      give()
      true
    }

    override def apply(plan: LogicalPlan): LogicalPlan = {
      require(isGiven)
      plan
    }
  }

  /** The session's parser, which first calls `give`. */
  private final class CallbackParser(parser: ParserInterface, give: () => Unit)
      extends ParserInterface {
    private lazy val callbackParser: ParserInterface = {
      give()
      parser
    }

    override def parsePlan(text: String): LogicalPlan = callbackParser.parsePlan(text)

    override def parseQuery(text: String): LogicalPlan = callbackParser.parseQuery(text)

    override def parseExpression(text: String): Expression = callbackParser.parseExpression(text)

    override def parseMultipartIdentifier(text: String): Seq[String] =
      callbackParser.parseMultipartIdentifier(text)

    override def parseFunctionIdentifier(text: String): FunctionIdentifier =
      callbackParser.parseFunctionIdentifier(text)

    override def parseTableIdentifier(text: String): TableIdentifier =
      parser.parseTableIdentifier(text)

    override def parseTableSchema(text: String): StructType = parser.parseTableSchema(text)

    override def parseDataType(text: String): DataType = parser.parseDataType(text)
  }
}
