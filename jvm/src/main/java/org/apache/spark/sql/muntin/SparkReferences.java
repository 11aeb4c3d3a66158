package org.apache.spark.sql.muntin;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;

/**
 * Compares the parts of Spark that the jar uses with the running Spark. A platform's Spark may have
 * the version of a stock Spark, but other methods: a query, even without Muntin's functions, would
 * then fail with a NoSuchMethodError or an AbstractMethodError.
 *
 * <p>The build writes the list (project/SparkReferenceList.scala):
 *
 * <pre>
 * revision 0a1b2c                                  of the Spark that the jar is built with
 * class org/apache/spark/sql/types/StructType      or interface, and the members that are used
 *  size()I
 * all org/apache/spark/rdd/RDD org/apache/spark/X  a Muntin class is all of these, and
 *  compute(Lorg/…;)Lscala/collection/Iterator;     has the methods that are abstract in them
 * </pre>
 *
 * <p>Cost: none on the Spark that the jar is built with, recognized by its revision. On another
 * patch, or on a platform's Spark, it reads 770 class files once per process: 0.2 s. Guarded by
 * SparkReferencesSuite.
 */
public final class SparkReferences {
    private static final String LIST = "/io/muntin/spark-references";

    private final ClassFiles files;
    private final List<String> missing = new ArrayList<>();

    private SparkReferences(ClassFiles files) {
        this.files = files;
    }

    /** Returns why Muntin does nothing in this Spark, or null if no part is missing. */
    static String whyOff(String running) {
        return whyOff(running, OfThisSpark.MISSING);
    }

    static String whyOff(String running, List<String> missing) {
        if (missing.isEmpty()) {
            return null;
        }
        String more = missing.size() == 1 ? "" : " (and " + (missing.size() - 1) + " more)";
        return ThisJar.off("MUNTIN_INCOMPATIBLE_SPARK", "this Spark " + running + " lacks "
            + missing.get(0) + more + ", which Spark " + ThisJar.SPARK + " has. List all missing "
            + "members with: java -cp the-jar-of-Muntin " + SparkReferences.class.getName()
            + " folder-of-Spark's-jars");
    }

    /** Compared once per process; not compared on the Spark that the jar is built with. */
    private static final class OfThisSpark {
        static final List<String> MISSING = compared(SparkReferences.class.getClassLoader());
    }

    /** Returns the parts that the loader's Spark lacks. */
    static List<String> compared(ClassLoader loader) {
        List<String> lines = list();
        return lines.get(0).equals("revision " + revisionOf(loader))
            ? new ArrayList<>()
            : missing(lines, loader);
    }

    private static String revisionOf(ClassLoader loader) {
        Properties told = new Properties();
        try (InputStream file = loader.getResourceAsStream("spark-version-info.properties")) {
            if (file != null) {
                told.load(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return told.getProperty("revision", "");
    }

    /** The list that the build has written to the jar. */
    static List<String> list() {
        List<String> lines = new ArrayList<>();
        try (InputStream file = SparkReferences.class.getResourceAsStream(LIST);
            BufferedReader reader =
                new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Prints the parts that the jars of a folder lack, and exits with 1 if a part is missing. */
    public static void main(String[] folders) throws IOException {
        List<URL> jars = new ArrayList<>();
        for (String folder : folders) {
            File[] files = new File(folder).listFiles((in, name) -> name.endsWith(".jar"));
            for (File file : files == null ? new File[0] : files) {
                jars.add(file.toURI().toURL());
            }
        }
        if (jars.isEmpty()) {
            System.err.println("No jars there. Name the folder with Spark's jars: $SPARK_HOME/jars");
            System.exit(2);
        }
        List<String> missing;
        try (URLClassLoader loader = new URLClassLoader(jars.toArray(new URL[0]), null)) {
            missing = missing(list(), loader);
        }
        missing.forEach(System.out::println);
        System.out.println(
            missing.isEmpty() ? "All that Muntin uses of Spark is there." : missing.size() + " lack.");
        System.exit(missing.isEmpty() ? 0 : 1);
    }

    /** Returns the parts of the list that the loader's classes lack, as messages show them. */
    public static List<String> missing(List<String> lines, ClassLoader loader) {
        SparkReferences references = new SparkReferences(new ClassFiles(loader));
        references.compare(lines);
        return references.missing;
    }

    private void compare(List<String> lines) {
        Set<String> named = new LinkedHashSet<>();
        for (String line : lines.subList(1, lines.size())) {
            if (!line.startsWith(" ")) {
                String[] words = line.split(" ");
                named.addAll(Arrays.asList(words).subList(1, words.length));
            }
        }
        files.readAll(named);
        for (int at = 1; at < lines.size();) {
            int end = at + 1;
            while (end < lines.size() && lines.get(end).startsWith(" ")) {
                end++;
            }
            String[] head = lines.get(at).split(" ");
            List<String> members = new ArrayList<>();
            lines.subList(at + 1, end).forEach(line -> members.add(line.substring(1)));
            if (head[0].equals("all")) {
                compareAbstract(Arrays.asList(head).subList(1, head.length), members);
            } else {
                compareClass(head[0], head[1], members);
            }
            at = end;
        }
    }

    private void compareClass(String kind, String name, List<String> members) {
        boolean isInterface = kind.equals("interface");
        if (!files.of(name).isPresent() && !files.loads(name)) {
            missing.add(kind + " " + dotted(name));
        } else if (files.of(name).map(c -> c.isInterface != isInterface).orElse(false)) {
            missing.add(kind + " " + dotted(name) + ", which is another kind of type here");
        } else {
            for (String member : members) {
                if (!files.has(name, member)) {
                    missing.add(dotted(name) + "." + member);
                }
            }
        }
    }

    private void compareAbstract(List<String> types, List<String> known) {
        Set<String> more = new HashSet<>(files.abstractMethods(types));
        more.removeAll(known);
        for (String method : more) {
            missing.add(
                "an implementation of " + method + ", which is abstract in " + dotted(types.get(0)));
        }
    }

    private static String dotted(String name) {
        return name.replace('/', '.');
    }
}
