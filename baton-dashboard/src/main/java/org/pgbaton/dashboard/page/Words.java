package org.pgbaton.dashboard.page;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers, times and texts as people read them. */
final class Words {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss.SSS 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Words() {}

    /** 12,345. */
    static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** "1 key", "12,345 keys". */
    static String count(long number, String what) {
        return number(number) + " " + what + (number == 1 ? "" : "s");
    }

    /** A rate: 0, 0.3, 12, 4,711. */
    static String rate(double perSecond) {
        return perSecond > 0 && perSecond < 9.95
                ? String.format(Locale.ROOT, "%.1f", perSecond)
                : number(Math.round(perSecond));
    }

    /** 180 ms, 4.2 s, 3 min, 2 h, 5 d. */
    static String duration(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1000) {
            return millis + " ms";
        }
        if (millis < 10_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        if (millis < 120_000) {
            return millis / 1000 + " s";
        }
        if (millis < 2 * 3_600_000L) {
            return millis / 60_000 + " min";
        }
        return millis < 2 * 86_400_000L ? millis / 3_600_000 + " h" : millis / 86_400_000 + " d";
    }

    /** 12.5 MB; "–" for null. */
    static String bytes(@Nullable Long bytes) {
        if (bytes == null) {
            return "–";
        }
        if (bytes < 1 << 20) {
            return (bytes + 1023) / 1024 + " kB";
        }
        return bytes < 1 << 30
                ? String.format(Locale.ROOT, "%.1f MB", bytes / 1048576.0)
                : String.format(Locale.ROOT, "%.1f GB", bytes / 1073741824.0);
    }

    /** A moment; the page's script shows it as "3 s ago", and keeps that up to date. */
    static Markup ago(@Nullable Instant at) {
        return at == null ? Markup.of("–") : time(at, "ago");
    }

    /** A moment to come or gone by: "in 3 min". */
    static Markup when(Instant at) {
        return time(at, "when");
    }

    /** A moment by the clock. */
    static Markup clock(Instant at) {
        return time(at, "clock");
    }

    private static Markup time(Instant at, String style) {
        return Markup.of(
                "<time datetime=\"{}\" data-shown=\"{}\" title=\"{}\">{}</time>",
                at,
                style,
                CLOCK.format(at),
                CLOCK.format(at).substring(11, 19));
    }

    /** In one line of at most this many characters. */
    static String shortened(String text, int longest) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() <= longest ? line : line.substring(0, longest - 1) + "…";
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
