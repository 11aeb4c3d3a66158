package org.apache.spark.sql.muntin.spark;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.StreamExecution;

/**
 * The session of a streaming query: a copy of the session that started the query. It is in Java,
 * because Spark 4.0 hides it only from Scala.
 */
final class QuerySession {
    private QuerySession() {}

    static SparkSession of(StreamExecution execution) {
        return execution.sparkSessionForStream();
    }
}
