package io.muntin;

import static org.apache.spark.sql.functions.avg;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.expressions.WindowSpec;

/** A Java program that uses Muntin: its compilation is half of the test. */
public final class FromJava {
  private FromJava() {}

  public static Dataset<Row> windows(Dataset<Row> rows) {
    WindowSpec byTime = Window.orderBy("at");
    List<Column> keys = Collections.emptyList();
    List<Column> order = Collections.singletonList(col("at"));
    WindowSpec hour = functions.over(keys, col("at"), Duration.ofHours(-1), Duration.ZERO);
    return rows.select(
        col("x"),
        functions.sliding(sum("x"), 2).over(byTime).as("two"),
        functions.since(sum("x"), col("x").equalTo(1)).over(byTime).as("since"),
        functions.framed(sum("x"), "left").over(hour).as("before"),
        functions.rolling(sum("x"), 2, keys, order).as("rows"),
        functions.rolling(sum("x"), "1 hour", keys, order, "right", 1, false).as("hour"),
        functions.rolling(sum("x"), Duration.ofHours(1), keys, order).as("both"));
  }

  public static Dataset<Row> groups(Dataset<Row> rows) {
    return rows.groupBy(functions.fieldWindow(col("at"), "1 hour", "1 hour")).agg(count("*"))
        .union(rows.groupBy(functions.ticks(col("at"), "hourly")).agg(count("*")))
        .select("count(1)");
  }

  public static Dataset<Row> windowBy(Dataset<Row> rows) {
    Dataset<Row> anchors = rows.select(col("at").as("until"));
    return functions.windowBy(rows, anchors, col("at"), col("until"), col("until")).agg(avg("x"));
  }

  public static Dataset<Row> rates(Dataset<Row> rows) {
    Column end = functions.rate(col("x"), col("x").plus(lit(2)));
    return rows.agg(end, functions.nth(col("x"), 2), functions.delta(col("x")));
  }
}
