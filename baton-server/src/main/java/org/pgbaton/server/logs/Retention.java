package org.pgbaton.server.logs;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.command.Durations;
import picocli.CommandLine.TypeConversionException;

/**
 * How long rows are kept, as people write it: {@code 30d} or {@code forever}.
 *
 * @param time null means forever
 */
public record Retention(@Nullable Duration time) {
    private static final String FOREVER = "forever";

    public static Retention parse(String text, Function<String, Duration> durations) {
        if (text.strip().equalsIgnoreCase(FOREVER)) {
            return new Retention(null);
        }
        try {
            return new Retention(durations.apply(text));
        } catch (TypeConversionException wrong) {
            throw new TypeConversionException(
                    "'" + text + "' is no time to keep rows; write for example 12h, 30d or forever");
        }
    }

    @Override
    public String toString() {
        return time == null ? FOREVER : Durations.shown(time);
    }
}
