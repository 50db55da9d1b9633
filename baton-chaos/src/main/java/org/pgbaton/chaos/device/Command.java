package org.pgbaton.chaos.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A script of the shell that changes this machine: its networks, its file systems. */
final class Command {
    private Command() {}

    /**
     * Ends with the first command that fails.
     *
     * @return what it printed
     * @throws IOException if a command failed, with what it said
     */
    static String run(Map<String, String> variables, String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-ec", script).redirectErrorStream(true);
        builder.environment().putAll(variables);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException(output);
        }
        return output;
    }
}
