package org.pgbaton.server.doctor;

import org.jspecify.annotations.Nullable;

/**
 * The result of one check.
 *
 * @param fix what to do about it; null if there is nothing to do
 */
record Finding(
        Level level, String check, String found, @Nullable String fix) {
    enum Level {
        OK,
        WARN,
        ERROR
    }

    static Finding ok(String check, String found) {
        return new Finding(Level.OK, check, found, null);
    }

    static Finding warn(String check, String found, String fix) {
        return new Finding(Level.WARN, check, found, fix);
    }

    static Finding error(String check, String found, String fix) {
        return new Finding(Level.ERROR, check, found, fix);
    }
}
