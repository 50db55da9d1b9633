package org.pgbaton.server.notice;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Chooses the changes that a channel is about. All conditions of a rule must hold. If a condition cannot be evaluated, because a column is
 * missing or cannot be compared, the key is parked with the reason. Immutable.
 */
final class Rule {
    private static final Key<List<String>> TABLES = Key.optional(
            "tables", Scalar.name().list(), "Changes of these tables, written schema.table. Default: all.");
    private static final Key<List<String>> OPERATIONS =
            Key.optional("operations", Scalar.choice(operations()).list(), "Changes of these kinds. Default: all.");
    private static final Key<Map<String, List<Comparison>>> COLUMNS = Key.optional(
            "columns",
            Comparison.KIND.byName(),
            "Comparisons by column, of the row as it is after the change, or before it if it was deleted.");
    private static final Key<List<String>> CHANGED = Key.optional(
            "changed", Scalar.name().list(), "Updates that change the value of at least one of these columns.");

    static final Section SECTION =
            Section.of("rule", TABLES, OPERATIONS, COLUMNS, CHANGED).check(Rule::check);

    private static void check(Settings settings) {
        if (List.of(TABLES, OPERATIONS, COLUMNS, CHANGED).stream().noneMatch(settings::has)) {
            settings.problem(
                    settings.line(),
                    "a rule says nothing: give tables, operations, columns or changed, or leave it out");
        }
        List<String> operations = settings.find(OPERATIONS);
        if (settings.has(CHANGED) && operations != null && !operations.contains("update")) {
            settings.problem(CHANGED, "'changed' is about updates, and 'operations' beside it leaves them out");
        }
    }

    private final @Nullable List<String> tables;
    private final @Nullable List<String> operations;
    private final Map<String, List<Comparison>> columns;
    private final List<String> changed;

    /** @param settings without problems */
    Rule(Settings settings) {
        this.tables = settings.find(TABLES);
        this.operations = settings.find(OPERATIONS);
        Map<String, List<Comparison>> compared = settings.find(COLUMNS);
        this.columns = compared == null ? Map.of() : compared;
        List<String> watched = settings.find(CHANGED);
        this.changed = watched == null ? List.of() : watched;
    }

    private static Map<String, String> operations() {
        return RowChange.OPERATIONS.stream()
                .collect(Collectors.toMap(each -> each, each -> each, (a, b) -> a, LinkedHashMap::new));
    }

    /** @throws HandlerException if a condition cannot be evaluated */
    boolean isAbout(RowChange change) {
        if ((tables != null && !tables.contains(change.table()))
                || (operations != null && !operations.contains(change.operation()))) {
            return false;
        }
        for (Map.Entry<String, List<Comparison>> column : columns.entrySet()) {
            if (!holds(change, column.getKey(), column.getValue())) {
                return false;
            }
        }
        return changed.isEmpty() || isChanged(change);
    }

    /** A truncate has no row, so no condition on a column holds. */
    private static boolean holds(RowChange change, String column, List<Comparison> comparisons) {
        Map<String, @Nullable Object> row = change.row();
        if (row == null) {
            return false;
        }
        Object value = value(change, row, column);
        for (Comparison comparison : comparisons) {
            try {
                if (!comparison.holds(value)) {
                    return false;
                }
            } catch (Comparison.CannotTell why) {
                throw cannotTell(change, "of column '" + column + "' " + why.getMessage());
            }
        }
        return true;
    }

    private static @Nullable Object value(RowChange change, Map<String, @Nullable Object> row, String column) {
        Map<String, @Nullable Object> before = change.before();
        if (!row.containsKey(column)
                && change.unchanged().contains(column)
                && before != null
                && before.containsKey(column)) {
            return before.get(column);
        }
        if (!row.containsKey(column)) {
            throw cannotTell(change, "column '" + column + "' " + whyNotThere(change, column));
        }
        return row.get(column);
    }

    private static String whyNotThere(RowChange change, String column) {
        if (change.unchanged().contains(column)) {
            return "did not change, and so large a value is not in the WAL again: with REPLICA IDENTITY FULL it is";
        }
        return change.after() == null
                ? "of a deleted row is not in the WAL: with REPLICA IDENTITY FULL it is"
                : "is not there: is it captured, and spelt so?";
    }

    private boolean isChanged(RowChange change) {
        if (!change.operation().equals("update")) {
            return false;
        }
        Map<String, @Nullable Object> before = change.before();
        Map<String, @Nullable Object> after = change.after();
        boolean any = false;
        for (String column : changed) {
            if (change.unchanged().contains(column)) {
                continue;
            }
            if (after == null || !after.containsKey(column)) {
                throw cannotTell(change, "column '" + column + "' is not there: is it captured, and spelt so?");
            }
            if (before == null || !before.containsKey(column)) {
                throw cannotTell(
                        change,
                        "what column '" + column + "' was before is not in the WAL: with REPLICA IDENTITY FULL it is");
            }
            any |= !Objects.equals(before.get(column), after.get(column));
        }
        return any;
    }

    private static HandlerException cannotTell(RowChange change, String why) {
        return new HandlerException(
                Verdict.PARK,
                "The rules of the channel cannot be evaluated for this " + change.operation() + " of " + change.table()
                        + ": " + why + ".");
    }
}
