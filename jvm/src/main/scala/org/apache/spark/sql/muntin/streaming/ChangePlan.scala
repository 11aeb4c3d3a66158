package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeMap,
  AttributeReference,
  AttributeSet,
  Cast,
  Expression
}
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.{
  ChangedQuery,
  StatefulExec,
  StoredCheckpoint,
  StoredOperator
}
import org.apache.spark.sql.types.{DataType, NumericType}

/**
 * Matches the operators of a changed query with the operators of a checkpoint. An operator is what
 * its properties are: keys, order, functions. Other operators may be above and below it.
 *
 *     checkpoint                            query
 *     0  OVER by k: sum(x), avg(x)          0  OVER by k: avg(x)       0: converted
 *     1  tumble by k: sum(x)                1  OVER by i: max(x)       restarts
 *                                           2  tumble by k: sum(x)     1: kept
 *
 * A checkpoint has the functions of an OVER clause as SQL. They are planned again, over the columns
 * that the checkpoint names. If the plan then has the properties in the checkpoint, it is the plan
 * that wrote the state.
 *
 * @param query
 *   the changed query, whose columns have the names in the checkpoint
 * @param current
 *   the changed query with its own names
 * @param formerName
 *   the name in the checkpoint of a column of the changed query
 */
private[streaming] final class ChangePlan(
    from: StoredCheckpoint,
    query: ChangedQuery,
    current: ChangedQuery,
    formerName: String => String
) {
  import ChangePlan._

  private val operators = query.operators.collect { case ours: StreamWindowsExec => ours }

  lazy val changes: Seq[OperatorChange] = {
    val found = inOrder(matched)
    val used = found.values.map(_.before.number).toSet
    val left = from.windows.filterNot(old => used(old.number))
    // Spark numbers operators from the top: rows that wait in a later one would have reached it.
    def isReached(old: StoredOperator) = !left.exists(_.number > old.number)
    operators.map { now =>
      found.get(now.number).fold[OperatorChange](RestartedOperator(now, reason(now, left))) {
        change =>
          if (isReached(change.before)) change else LackingOperator(change)
      }
    } ++ left.map(DroppedOperator(_))
  }

  private def matched: Map[Long, ContinuedOperator] = {
    val left = mutable.ArrayBuffer(from.windows: _*)
    val found = mutable.HashMap.empty[Long, ContinuedOperator]
    def open = operators.filterNot(now => found.contains(now.number))
    def take(now: StreamWindowsExec, change: ContinuedOperator): Unit = {
      left -= change.before
      found(now.number) = change
    }
    def candidates(now: StreamWindowsExec) = left.filter(old => isBeside(old.number, now.number))
    open.foreach { now =>
      candidates(now)
        .find(old => old.properties == now.storedProperties && isKept(now) && isInOrder(now))
        .foreach(old => take(now, KeptOperator(old, now, None)))
    }
    open.foreach { now =>
      candidates(now).find(old => isOfOtherMode(old, now) && isKept(now) && isInOrder(now))
        .foreach(old => take(now, KeptOperator(old, now, Some(headsOf(old, now)))))
    }
    open.foreach { now =>
      val functions = OperatorChange.functionsOf(now.storedProperties)
      candidates(now).filter(isLike(_, now))
        .sortBy(old => -OperatorChange.functionsOf(old.properties).count(functions.contains))
        .iterator.flatMap(old => converted(old, now)).nextOption()
        .foreach(take(now, _))
    }
    found.toMap
  }

  /** Returns true if no operator of Spark is between these numbers: Spark's keep their numbers. */
  private def isBeside(old: Long, now: Long): Boolean =
    !from.operatorsOfSpark.exists(other => (other.number < old) != (other.number < now))

  /** Drops matches of operators that change places: rows that wait would pass one of them twice. */
  private def inOrder(found: Map[Long, ContinuedOperator]): Map[Long, ContinuedOperator] = {
    var last = -1L
    found.toSeq.sortBy(_._1).filter { case (_, change) =>
      val isLater = change.before.number > last
      if (isLater) last = change.before.number
      isLater
    }.toMap
  }

  /** Returns true if only the output mode differs. Revisions are numbered in both modes. */
  private def isOfOtherMode(old: StoredOperator, now: StreamWindowsExec): Boolean =
    now.job.revision.isEmpty &&
      withoutMode(old.properties) == withoutMode(now.storedProperties)

  private def headsOf(old: StoredOperator, now: StreamWindowsExec): HeadsOfMode = HeadsOfMode(
    HeadFields.haveClosing(old),
    now.storesAnswers
  )

  // The state of other windows may lack the starts of groups, which a new operator above needs.
  private def isKept(now: StreamWindowsExec): Boolean =
    !now.keepsBegins || operators.map(o => withoutMode(o.storedProperties)) ==
      from.windows.map(o => withoutMode(o.properties))

  /** Returns the input of an operator with its own names, which determine the order of columns. */
  private val inputs: Map[Long, Seq[Attribute]] = current.operators.collect {
    case operator: StreamWindowsExec => operator.number -> operator.job.input
  }.toMap

  /** Returns the order of the columns in the rows that the changed query stores. */
  private def storedInput(now: StreamWindowsExec): Seq[(String, DataType)] =
    inputs(now.number).map(a => formerName(a.name) -> a.dataType)

  /** Returns true if rows with the former names have the same order of columns. */
  private def isInOrder(now: StreamWindowsExec): Boolean = now.job match {
    case job: OverJob => job.input.map(a => a.name -> a.dataType) == storedInput(now)
    case job =>
      val (former, own) = (job.input, inputs(now.number))
      // Other columns, of partial aggregates, are in the order of the functions.
      val shared = former.map(_.exprId).toSet.intersect(own.map(_.exprId).toSet)
      def shape(input: Seq[Attribute]) =
        input.map(a => (Some(a.exprId).filter(shared), a.dataType))
      shape(former) == shape(own)
  }

  private def isLike(old: StoredOperator, now: StreamWindowsExec): Boolean =
    fixed(old.properties) == fixed(now.storedProperties) && now.job.revision.isEmpty &&
      (now.job match {
        case _: OverJob => true
        case _: GroupJob => !HeadFields.haveClosing(old)
        case _ => false
      })

  private def converted(old: StoredOperator, now: StreamWindowsExec): Option[ConvertedOperator] =
    for {
      columns <- Try(StateRouting.columnsOf(old.properties(Input))).toOption
      ofOld = columns.map { case (name, dataType) => column(name, dataType, now.job.input) }
      before <- planned(now, ofOld, old.properties, columns)
      after <- planned(now, now.job.input, now.storedProperties, storedInput(now))
      derived = AttributeMap(after.input.flatMap(a => derivedFrom(before, after, a).map(a -> _)))
      functions <- changedFunctions(before, after, derived)
      if functions.isConvertible
    } yield ConvertedOperator(
      old,
      now,
      functions,
      ChangedGroups(
        before,
        after,
        derived,
        functions.continuing,
        now.keepsBegins,
        now.isByArrival,
        now.isByGroup,
        headsOf(old, now)
      )
    )

  private def changedFunctions(
      before: StreamJob,
      after: StreamJob,
      derived: AttributeMap[Expression]
  ): Option[ChangedFunctions] = (before, after) match {
    case (b: OverJob, a: OverJob) => Some(new ChangedOverFunctions(b, a, derived))
    case (b: GroupJob, a: GroupJob) => Some(new ChangedAggregates(b, a, derived))
    case _ => None
  }

  /** Returns a column that the state lacks as an expression over its columns, if it is one. */
  private def derivedFrom(
      before: StreamJob,
      after: StreamJob,
      column: Attribute
  ): Option[Expression] =
    if (before.input.exists(_.exprId == column.exprId)) None
    else {
      partial(before, after, column).getOrElse(
        same(before, column).orElse(widened(before, column)).orElse(defined(before, column))
      )
    }

  /** Returns the column of a partial aggregate in the state, if `column` is of one. */
  private def partial(
      before: StreamJob,
      after: StreamJob,
      column: Attribute
  ): Option[Option[Attribute]] = (before, after) match {
    case (b: GroupJob, a: GroupJob) if a.panes.contains(column) =>
      Some(b.panes.like(a.panes, column))
    case _ => None
  }

  /** Returns the column of the state, if the planner has added it to both plans. */
  private def same(before: StreamJob, column: Attribute): Option[Expression] =
    before.input.find(b => b.name == column.name && b.dataType == column.dataType)

  /** Returns a number of the state as a number of the column's wider type. */
  private def widened(before: StreamJob, column: Attribute): Option[Expression] =
    before.input.find { b =>
      b.name == column.name && b.dataType.isInstanceOf[NumericType] &&
      column.dataType.isInstanceOf[NumericType] && Cast.canUpCast(b.dataType, column.dataType)
    }.map(Cast(_, column.dataType))

  private def defined(before: StreamJob, column: Attribute): Option[Expression] =
    query.definition(column).flatMap { definition =>
      val known = definition.references.toSeq.flatMap { a =>
        before.input.find(b => b.name == a.name && b.dataType == a.dataType).map(a -> _)
      }
      val names = AttributeMap(known)
      Option.when(known.size == definition.references.size) {
        definition.transform { case a: Attribute => names(a) }
      }
    }

  private def column(name: String, dataType: DataType, among: Seq[Attribute]): Attribute =
    among.find(a => a.name == name && a.dataType == dataType).map(_.withQualifier(Nil))
      .getOrElse(AttributeReference(name, dataType)())

  /**
   * Plans the functions in these properties, with the input in the order of `input`; None if the
   * plan has other properties.
   *
   * @param now
   *   the operator of the changed query, whose windows of groups do not change
   * @param columns
   *   the columns of the input
   */
  private def planned(
      now: StreamWindowsExec,
      columns: Seq[Attribute],
      properties: Map[String, String],
      input: Seq[(String, DataType)]
  ): Option[StreamJob] = {
    val functions = OperatorChange.functionsOf(properties)
    val found = now.job match {
      case job: GroupJob =>
        val keys = StateRouting.columnsOf(properties(Keys)).map(_._1)
        val texts = keys ++ functions
        val ofWindow = job.requested.references.toSeq
        // Partial aggregates are computed from columns that the state does not have.
        val ofRows = if (isPaned(properties)) query.columnsBelow(job.windowAttribute) else columns
        val others = ofRows.filter { a =>
          texts.exists(_.contains(a.name)) && !ofWindow.exists(_.name == a.name)
        }
        distinctNames((ofWindow ++ others).map(_.withQualifier(Nil)))
          .flatMap(query.plannedGroups(_, keys, job.requested, functions))
      case _ =>
        distinctNames(columns.map(_.withQualifier(Nil))).flatMap(query.planned(_, functions))
    }
    found.collect { case operator: StreamWindowsExec => operator }
      .flatMap(ordered(_, StateRouting.columnsOf(properties(Input))))
      .filter { found =>
        withoutMode(alone(found.storedProperties)) == withoutMode(alone(properties))
      }
      .flatMap(ordered(_, input))
      .map(_.job).nextOption()
  }

  private def isPaned(properties: Map[String, String]): Boolean =
    properties.get(MuntinConf.PanesEnabled.key).contains("true")

  /** Returns the operator with its input in this order, which is the order in stored rows. */
  private def ordered(
      operator: StreamWindowsExec,
      columns: Seq[(String, DataType)]
  ): Option[StreamWindowsExec] = {
    // Several columns of one name and type keep their order.
    val left = mutable.ArrayBuffer(operator.job.input: _*)
    val input = columns.flatMap { c =>
      val found = left.find(a => (a.name, a.dataType) == c)
      found.foreach(left -= _)
      found
    }
    val job = operator.job match {
      case job: OverJob => Some(job.copy(input = input))
      case job: GroupJob =>
        val kept = AttributeSet(job.retainedColumns)
        Some(job.copy(input = input, retainedColumns = input.filter(kept.contains)))
      case _ => None
    }
    job.filter(_ => left.isEmpty).map(job => operator.copy(job = job))
  }

  /**
   * Returns the choices of columns with distinct names. An argument with an implicit cast is a
   * column of its own, with the name of the column that is cast, which the planner adds again.
   */
  private def distinctNames(columns: Seq[Attribute]): Iterator[Seq[Attribute]] = {
    val ofNames = columns.groupBy(_.name)
    columns.map(_.name).distinct.foldLeft(Iterator(Seq.empty[Attribute])) { (found, name) =>
      found.flatMap(before => ofNames(name).iterator.map(before :+ _))
    }.take(MostChoices)
  }

  /** Returns why the operator cannot continue the state that is most like its own. */
  private def reason(now: StreamWindowsExec, left: Seq[StoredOperator]): String = {
    val properties = fixed(now.storedProperties)
    left.map(old => fixed(old.properties)).filter(_.get(Window) == properties.get(Window))
      .map(old => (old, differences(old, properties))).sortBy(_._2.size).headOption match {
      case None => "the checkpoint has no such window"
      case Some((old, names)) =>
        def shown(of: Map[String, String], name: String) =
          of.get(name).fold("absent")(text => s"`$text`")
        names.headOption.fold("its state cannot be converted, or windows change places") { name =>
          s"$name is ${shown(old, name)} in the checkpoint and ${shown(properties, name)} in the " +
            "query"
        }
    }
  }
}

private[streaming] object ChangePlan {
  private val Window = "window"
  private val Input = "input"
  private val Keys = "keys"
  private val MostChoices = 32

  private def withoutMode(properties: Map[String, String]): Map[String, String] =
    properties - StatefulExec.OutputMode._1

  private def differences(a: Map[String, String], b: Map[String, String]): Seq[String] =
    (a.keySet ++ b.keySet).toSeq.sorted.filter(name => a.get(name) != b.get(name))

  /** Returns the properties that do not depend on other operators. */
  private def alone(properties: Map[String, String]): Map[String, String] =
    properties - StatefulExec.HeldBackAbove._1

  /** Returns the properties that the conversion does not change. */
  private def fixed(properties: Map[String, String]): Map[String, String] =
    properties.filterNot { case (name, _) =>
      name == Input || name == "kept columns" || name == StatefulExec.HeldBackAbove._1 ||
      name == StatefulExec.OutputMode._1 ||
      name.startsWith("function ") || name.startsWith("buffer ")
    }
}
