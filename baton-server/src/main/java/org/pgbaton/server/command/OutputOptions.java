package org.pgbaton.server.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how much, and in which form, a command tells on standard error. */
public final class OutputOptions {
    @Option(names = "--quiet", description = "Say only what is wrong.")
    void quiet(boolean quiet) {
        Output.quiet(quiet);
    }

    @Option(
            names = "--log-format",
            paramLabel = "text|plain|json",
            description =
                    "Lines on standard error: text (default), plain with date and level, or json. Also BATON_LOG_FORMAT.")
    void logFormat(@Nullable LogFormat format) {
        LogFormat.use(format == null ? ofTheEnvironment() : format);
    }

    private static LogFormat ofTheEnvironment() {
        String word = Variables.get("BATON_LOG_FORMAT");
        if (word == null) {
            return LogFormat.TEXT;
        }
        for (LogFormat each : LogFormat.values()) {
            if (each.name().equalsIgnoreCase(word)) {
                return each;
            }
        }
        throw new UsageException("BATON_LOG_FORMAT is '" + word + "', and must be text, plain or json.");
    }
}
