package org.apache.spark.sql.muntin;

/** What the jar was built for. */
final class BuiltFor {

    /** The minor version of Spark. */
    static final String SPARK = "4.3";

    private BuiltFor() {}
}
