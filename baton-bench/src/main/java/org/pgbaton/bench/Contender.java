package org.pgbaton.bench;

import java.util.List;

/**
 * A library in the race, as a program of its own that speaks one protocol on standard output ({@code READY name},
 * {@code LEADING name nanoTime}, {@code LOST name nanoTime}), leaves in good order on SIGTERM, and ends when its standard input
 * does.
 *
 * @param settings shown in the report
 * @param quick whether takeover takes milliseconds, so that nothing may run beside it; where it takes seconds, several
 *     run at once
 */
record Contender(String name, String settings, String classPath, String mainClass, boolean quick) {

    List<String> command(String java, List<String> arguments) {
        List<String> command = new java.util.ArrayList<>(
                List.of(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx96m", "-cp", classPath, mainClass));
        command.addAll(arguments);
        return command;
    }
}
