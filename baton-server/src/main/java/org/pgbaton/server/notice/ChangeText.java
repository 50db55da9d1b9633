package org.pgbaton.server.notice;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Row changes as text for people, where no template says otherwise. */
final class ChangeText {
    private static final int MOST_OF_A_LINE = 300;

    private ChangeText() {}

    /** One line for a change; for several a title and a line for each. */
    static String text(List<RowChange> changes) {
        if (changes.size() == 1) {
            return line(changes.get(0));
        }
        StringBuilder text = new StringBuilder(title(changes)).append(':');
        changes.forEach(change -> text.append("\n- ").append(line(change)));
        return text.toString();
    }

    static String title(List<RowChange> changes) {
        RowChange first = changes.get(0);
        return changes.size() == 1
                ? title(first)
                : changes.size() + " changes, " + first.table() + ", key " + shortened(first.key(), 60);
    }

    /** {@code insert into public.alert, key 42}. */
    static String title(RowChange change) {
        String what = switch (change.operation()) {
            case "truncate" -> "truncate of ";
            case "message" -> "";
            case "insert" -> "insert into ";
            case "delete" -> "delete from ";
            case "read" -> "row of ";
            default -> change.operation() + " of ";
        };
        return what
                + change.table()
                + (change.operation().equals("truncate") ? "" : ", key " + shortened(change.key(), 60));
    }

    /** {@code insert into public.alert, key 42: a=1, b=2}. */
    static String line(RowChange change) {
        StringBuilder line = new StringBuilder(title(change));
        Map<String, @Nullable Object> row = change.row();
        if (row != null) {
            String separator = ": ";
            for (Map.Entry<String, @Nullable Object> column : row.entrySet()) {
                line.append(separator)
                        .append(column.getKey())
                        .append('=')
                        .append(shortened(value(column.getValue()), 80));
                separator = ", ";
            }
        }
        return shortened(line.toString(), MOST_OF_A_LINE);
    }

    /** A value as people write it: texts as they are, numbers with all their digits, what is nested as JSON. */
    static String value(@Nullable Object value) {
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        }
        return value == null || value instanceof String || value instanceof Number || value instanceof Boolean
                ? String.valueOf(value)
                : RowChange.json(value);
    }

    static String shortened(String text, int most) {
        String line = text.replaceAll("[\\p{Cntrl}\u2028\u2029]+", " ");
        if (line.length() <= most) {
            return line;
        }
        return line.substring(0, Character.isHighSurrogate(line.charAt(most - 2)) ? most - 2 : most - 1) + "…";
    }
}
