package org.pgbaton.bench.outbox;

import java.util.Map;

/** What a contestant's class is told. */
final class Options {
    private Options() {}

    static String of(Map<String, String> options, String name) {
        String value = options.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + "=… is missing");
        }
        return value;
    }
}
