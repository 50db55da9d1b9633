package org.pgbaton.server.logs;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** A number of bytes, as people write it: {@code 500000}, {@code 512kB}, {@code 5MB}; a kilobyte has 1,000. */
public record ByteSize(int bytes) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(b|kb|mb)?");

    public static ByteSize parse(String text) {
        Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (matcher.matches()) {
            String unit = matcher.group(2);
            long factor = unit == null || unit.equals("b") ? 1 : unit.equals("kb") ? 1_000 : 1_000_000;
            long bytes = Long.parseLong(matcher.group(1)) * factor;
            if (bytes <= Integer.MAX_VALUE) {
                return new ByteSize((int) bytes);
            }
        }
        throw new TypeConversionException("'" + text + "' is no size; write for example 500000, 512kB or 5MB");
    }
}
