package org.apache.spark.util;

import java.net.URLClassLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * In Spark's place on the class path of the tests: the class loader by which generated code is
 * compiled. The compiler asks for a class of each name that it meets, in each place where one of
 * that name may be; mostly there is none, for which all of Spark's jars are looked through: a tenth
 * of the processor time of all suites. What was not there once is not looked for again.
 */
public class ParentClassLoader extends ClassLoader {
    static {
        ClassLoader.registerAsParallelCapable();
    }

    private static final Set<String> MISSING = ConcurrentHashMap.newKeySet();

    private final boolean isClassPathAlone;

    public ParentClassLoader(ClassLoader parent) {
        super(parent);
        ClassLoader last = parent;
        while (last instanceof URLClassLoader && ((URLClassLoader) last).getURLs().length == 0) {
            last = last.getParent();
        }
        isClassPathAlone = last == ClassLoader.getSystemClassLoader();
    }

    @Override
    public Class<?> findClass(String name) throws ClassNotFoundException {
        return super.findClass(name);
    }

    @Override
    public Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (isClassPathAlone && MISSING.contains(name)) throw new ClassNotFoundException(name);
        try {
            return super.loadClass(name, resolve);
        } catch (ClassNotFoundException e) {
            if (isClassPathAlone) MISSING.add(name);
            throw e;
        }
    }
}
