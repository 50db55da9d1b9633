package org.pgbaton.server.command;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write and read them: 500ms, 30s, 5m, 2h. */
public final class Durations {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)");

    private Durations() {}

    public static Duration parse(String text) {
        Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches() || matcher.group(1).length() > 9) {
            throw new TypeConversionException("'" + text + "' is no duration; write for example 500ms, 30s, 5m or 2h");
        }
        double amount = Double.parseDouble(matcher.group(1));
        double millis = switch (matcher.group(2)) {
            case "ms" -> amount;
            case "s" -> amount * 1000;
            case "m" -> amount * 60_000;
            case "h" -> amount * 3_600_000;
            default -> amount * 86_400_000;
        };
        return Duration.ofMillis(Math.round(millis));
    }

    /** Short, for tables: 350 ms, 12 s, 4 min, 3 h 20 min, 5 d. */
    public static String shown(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 10_000) {
            return millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        if (duration.toMinutes() < 2) {
            return duration.toSeconds() + " s";
        }
        if (duration.toHours() < 1) {
            return duration.toMinutes() + " min";
        }
        return duration.toDays() < 2
                ? duration.toHours() + " h " + duration.toMinutesPart() + " min"
                : duration.toDays() + " d";
    }

    /** How long ago something was: "12 s ago"; "-" if it never was. */
    public static String ago(@Nullable Instant then, Instant now) {
        if (then == null) {
            return "-";
        }
        Duration since = Duration.between(then, now);
        return shown(since.isNegative() ? Duration.ZERO : since) + " ago";
    }
}
