package org.apache.spark.util;

import java.net.URLClassLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Replaces Spark's class on the class path of the tests: the class loader for generated code. The
 * compiler requests a class for each name that it reads, in each package in which the name may be.
 * Most of these classes do not exist, and Spark searches all of its jars for them: a tenth of the
 * CPU time of all suites. This class does not search again for a missing class.
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
