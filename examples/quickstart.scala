// The last hour of each sensor, as a Scala program; Muntin runs it.
//
// Spark contains the Scala compiler. SPARK_HOME is Spark's folder; for a Spark from pip,
// `python -c "import pyspark; print(*pyspark.__path__)"` prints it:
//
//     java -cp "$SPARK_HOME/jars/*" scala.tools.nsc.Main -usejavacp \
//         -d quickstart.jar examples/quickstart.scala
//     spark-submit --class Quickstart --jars "$(python -m muntin jar)" quickstart.jar

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{avg, col, max, timestamp_seconds, unix_seconds}

object Quickstart {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession
      .builder()
      .appName("quickstart")
      .config("spark.sql.session.timeZone", "UTC")
      .getOrCreate()

    // 10 sensors with a reading per minute, for a week.
    val readings = spark
      .range(10 * 7 * 24 * 60)
      .select(
        (col("id") % 10).as("sensor"),
        timestamp_seconds((col("id") - col("id") % 10) / 10 * 60).as("at"),
        (col("id") * 37 % 101).as("value")
      )

    val hour = Window.partitionBy("sensor").orderBy(unix_seconds(col("at"))).rangeBetween(-3600, 0)
    val rolling = readings.select(
      col("*"),
      avg("value").over(hour).as("mean"),
      max("value").over(hour).as("highest")
    )

    rolling.orderBy("at", "sensor").offset(100000).show(5)
    rolling.explain()
    spark.stop()
  }
}
