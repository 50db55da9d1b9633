package org.pgbaton.server.command;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.Printable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Prints data to standard output, as a table for people or as JSON for programs, and sentences to standard error. */
public final class Output {
    private static volatile boolean quiet;

    private Output() {}

    /** From now on {@link #say} says nothing. */
    static void quiet(boolean wanted) {
        quiet = wanted;
    }

    /** Prints a sentence to standard error, unless nobody wants to know. It is one line, whatever text is in it. */
    public static void say(Object sentence) {
        if (!quiet) {
            print("INFO", sentence);
        }
    }

    /** Prints a sentence about something that is wrong, and may become right by itself. */
    public static void warn(Object sentence) {
        print("WARN", sentence);
    }

    /** Prints a sentence about a failure. */
    public static void complain(Object sentence) {
        print("ERROR", sentence);
    }

    private static void print(String level, Object sentence) {
        System.err.println(LogFormat.line(level, Printable.line(sentence)));
    }

    /** Prints one line of data to standard output. */
    public static void line(Object line) {
        System.out.println(Printable.line(line));
    }

    /** Prints data of several lines, such as a table, to standard output. */
    public static void text(String lines) {
        System.out.println(Printable.lines(lines));
    }

    public static void json(Object value) {
        System.out.println(JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(value));
    }

    /** JSON in one line, for files and pipes with many of them. */
    public static String jsonLine(Object value) {
        return JsonMapper.shared().writeValueAsString(value);
    }

    /** A whole number as people read it: 12,345. */
    public static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** A number of things: "1 key", "12,345 keys". */
    public static String count(long number, String what) {
        return number(number) + " " + what + (number == 1 ? "" : "s");
    }

    /** A size, rounded: 12.5 MB; "-" for null. */
    public static String bytes(@Nullable Long bytes) {
        if (bytes == null) {
            return "-";
        }
        if (bytes < 1 << 20) {
            return bytes / 1024 + " kB";
        }
        return bytes < 1 << 30
                ? String.format(Locale.ROOT, "%.1f MB", bytes / 1048576.0)
                : String.format(Locale.ROOT, "%.1f GB", bytes / 1073741824.0);
    }

    /** The text in one line of at most this many characters. */
    public static String shortened(String text, int longest) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() <= longest ? line : line.substring(0, longest - 1) + "…";
    }

    /** A table without lines, as {@code ps} and {@code kubectl} print it. */
    public static String table(List<String> head, List<List<String>> rows) {
        List<ColumnData<List<String>>> columns = new ArrayList<>();
        for (int i = 0; i < head.size(); i++) {
            int column = i;
            columns.add(new Column()
                    .header(head.get(i))
                    .headerAlign(HorizontalAlign.LEFT)
                    .dataAlign(HorizontalAlign.LEFT)
                    .maxWidth(80)
                    .with(row -> Printable.line(row.get(column))));
        }
        return AsciiTable.builder()
                .border(AsciiTable.NO_BORDERS)
                .data(rows, columns)
                .asString()
                .stripTrailing();
    }
}
