package org.apache.spark.sql.muntin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.Scanner;

/**
 * What the jar is, and whether it is for the Spark that is running. In Java, and of the JDK alone:
 * it answers on any Spark, with any Scala.
 */
public final class ThisJar {

    private static final String VERSION_FILE = "io/muntin/version";

    /** The version of Muntin. */
    public static final String VERSION = version();

    /** The minor version of Spark that the jar was built for. */
    public static final String SPARK = BuiltFor.SPARK;

    /** The minor version of Scala that the jar was built with. */
    public static final String SCALA = BuiltFor.SCALA;

    private ThisJar() {}

    /** Whether the jar was built for the minor version of Spark that {@code running} belongs to. */
    public static boolean fits(String running) {
        return minorOf(running).equals(SPARK);
    }

    /** Why Muntin does nothing on {@code running}, or null where the jar fits. */
    public static String whyNot(String running) {
        return whyNot(running, System.getProperty("java.specification.version"));
    }

    static String whyNot(String running, String java) {
        if (!fits(running)) {
            return ofOther(running);
        }
        // Up to Java 8 there is a "1." in front; a class of a later Java's methods would load.
        int number = Integer.parseInt(java.startsWith("1.") ? java.substring(2) : java);
        return number < BuiltFor.JAVA ? ofOlder(java) : null;
    }

    private static String ofOlder(String java) {
        return "Muntin " + VERSION + " is turned off: on Spark " + SPARK + " it needs Java "
            + BuiltFor.JAVA + " or later, and this is Java " + java + ". Queries run as they would "
            + "without Muntin.";
    }

    private static String ofOther(String running) {
        String off = "Muntin " + VERSION + " is turned off: this jar was built for Spark " + SPARK
            + ", and Spark " + running + " is running. ";
        String name = "muntin-spark-" + minorOf(running);
        URL shadowed = jarNamed(name, ThisJar.class.getClassLoader());
        return shadowed == null
            ? off + "Use the jar whose name begins with " + name + ", where there is one."
            : off + "The class path has the right jar as well, " + shadowed.getPath()
                + ", but after this one: remove this one.";
    }

    /** Returns the jar of Muntin whose name begins so, among those that the loader has; or null. */
    static URL jarNamed(String name, ClassLoader loader) {
        try {
            for (URL file : Collections.list(loader.getResources(VERSION_FILE))) {
                String path = file.getPath();
                int end = path.indexOf("!/");
                String jar = end < 0 ? path : path.substring(0, end);
                if (jar.substring(jar.lastIndexOf('/') + 1).startsWith(name)) {
                    return new URL(jar);
                }
            }
            return null;
        } catch (IOException e) {
            return null;
        }
    }

    private static String minorOf(String version) {
        int dot = version.indexOf('.');
        int end = version.indexOf('.', dot + 1);
        return end < 0 ? version : version.substring(0, end);
    }

    private static String version() {
        try (InputStream file = ThisJar.class.getResourceAsStream("/" + VERSION_FILE);
            Scanner scanner = new Scanner(file, "UTF-8")) {
            return scanner.next();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
