package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.Output
import io.muntin.kernel.Abilities
import org.apache.spark.sql.catalyst.InternalRow
import io.muntin.kernel.motions.SessionMotion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.SessionNumber

/**
 * Plans row_number, rank, dense_rank, session_number; and percent_rank, cume_dist, ntile, which
 * wait for the partition's end.
 */
object RankPlans {
  val plans: PartialFunction[Call, FunctionPlan] = {
    case Call(_: RowNumber, _) => RankPlan(RankPlan.RowNumber)
    case Call(_: Rank, _) => RankPlan(RankPlan.Rank)
    case Call(_: DenseRank, _) => RankPlan(RankPlan.DenseRank)
    case Call(_: PercentRank, _) => RankPlan(RankPlan.PercentRank)
    case Call(_: CumeDist, _) => RankPlan(RankPlan.CumeDist)
    case Call(_: SessionNumber, _) => SessionNumberPlan
    case Call(NTile(IntegerValue(buckets)), _) => RankPlan(RankPlan.Ntile(buckets))
  }
}

private final case class RankPlan(kind: RankPlan.Kind) extends FunctionPlan {
  import RankPlan._

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(Abilities.stateless("rank"))

  override def isRanked: Boolean = true

  override def buildForRow(frame: RowFrameBuilder, ordinal: Int): Output = {
    val ranking = frame.ranking
    val motion = frame.motion
    def size = motion.end + motion.following
    kind match {
      case RowNumber => int(ordinal)(ranking.rowNumber)
      case Rank => int(ordinal)(ranking.rank)
      case DenseRank => int(ordinal)(ranking.denseRank)
      case Ntile(buckets) => int(ordinal)(ranking.ntile(buckets, size))
      case PercentRank => double(ordinal)(ranking.percentRank(size))
      case CumeDist => double(ordinal)(ranking.cumeDist(motion.end, size))
    }
  }

  private def int(ordinal: Int)(value: => Long): Output = new Output {
    override def followsRow: Boolean = true
    override def write(target: InternalRow): Unit = target.setInt(ordinal, value.toInt)
  }

  private def double(ordinal: Int)(value: => Double): Output = new Output {
    override def followsRow: Boolean = true
    override def write(target: InternalRow): Unit = target.setDouble(ordinal, value)
  }
}

/** session_number: the session number of the motion. */
private case object SessionNumberPlan extends FunctionPlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(Abilities.stateless("session number"))

  override def buildForRow(frame: RowFrameBuilder, ordinal: Int): Output = {
    val sessions = frame.motion.asInstanceOf[SessionMotion]
    new Output {
      override def followsRow: Boolean = true
      override def write(target: InternalRow): Unit = target.setInt(ordinal, sessions.number.toInt)
    }
  }
}

private object RankPlan {
  sealed trait Kind
  case object RowNumber extends Kind
  case object Rank extends Kind
  case object DenseRank extends Kind
  case object PercentRank extends Kind
  case object CumeDist extends Kind
  final case class Ntile(buckets: Int) extends Kind
}
