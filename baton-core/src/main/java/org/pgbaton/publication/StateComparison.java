package org.pgbaton.publication;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publication.PublicationState.Item;
import org.pgbaton.publication.PublicationState.Partition;

/** Compares two states of a publication, and tells which changes may be missing since the first. Immutable. */
final class StateComparison {
    private final PublicationState before;
    private final PublicationState now;
    private final String publication;

    StateComparison(PublicationState before, PublicationState now, CapturePlan plan) {
        this.before = before;
        this.now = now;
        this.publication = "the publication '" + plan.publication() + "' ";
    }

    /**
     * A gap that follows from a difference.
     *
     * @param table null for all tables
     * @param suspect the transaction that may explain the difference, so that it is no gap; 0 if there is none
     */
    record Gap(@Nullable String table, String what, long suspect) {
        Gap(@Nullable String table, String what) {
            this(table, what, 0);
        }
    }

    /** One gap for everything that is missing now. Additions are not gaps. */
    List<Gap> gaps() {
        List<Gap> gaps = new ArrayList<>();
        before.states().forEach((item, was) -> {
            String is = now.states().get(item);
            if (is != null && !is.equals(was)) {
                Gap gap = gap(item, was, is);
                if (gap != null) {
                    gaps.add(gap);
                }
            }
        });
        return gaps;
    }

    private @Nullable Gap gap(Item item, String was, String is) {
        return switch (item.aspect()) {
            case PublicationState.OPERATIONS -> operations(was, is);
            case PublicationState.ROOT ->
                is.equals("true")
                        ? null
                        : new Gap(null, publication + "sent changes of partitions under the partitions' names");
            case PublicationState.TABLE ->
                new Gap(
                        item.subject(),
                        is.equals("0") ? "the table was dropped" : "the table was replaced by another of its name");
            case PublicationState.PUBLISHED ->
                is.equals("yes") || !isSameTable(item)
                        ? null
                        : new Gap(item.subject(), publication + "did not contain it");
            case PublicationState.FILTER ->
                is.isEmpty()
                        ? null
                        : new Gap(
                                item.subject(),
                                publication + "had another row filter: " + is + " instead of "
                                        + (was.isEmpty() ? "none" : was));
            case PublicationState.COLUMNS ->
                is.isEmpty() || !isSameTable(item)
                        ? null
                        : new Gap(item.subject(), publication + "had another list of columns");
            case PublicationState.IDENTITY -> isSameTable(item) ? identity(item, was, is) : null;
            case PublicationState.FILE -> file(now.partition(item.subject()));
            default -> null;
        };
    }

    private boolean isSameTable(Item item) {
        Item table = new Item(item.subject(), PublicationState.TABLE);
        return Objects.equals(before.states().get(table), now.states().get(table));
    }

    private @Nullable Gap operations(String was, String is) {
        if (is.equals("-")) {
            return new Gap(null, publication + "was not there");
        }
        List<String> missing = new ArrayList<>(Arrays.asList(was.split(", ", -1)));
        missing.removeAll(Arrays.asList(is.split(", ", -1)));
        return missing.isEmpty() ? null : new Gap(null, publication + "did not send " + String.join(", ", missing));
    }

    private static @Nullable Gap identity(Item item, String was, String is) {
        return tellsAsMuch(was, is)
                ? null
                : new Gap(
                        item.subject(),
                        "its replica identity was changed from " + identity(was) + " to " + identity(is)
                                + ", so that changes told less of the old rows, and updates of the key came as plain updates");
    }

    /** Both are the letter of the catalog, followed by the numbers of the columns. */
    private static boolean tellsAsMuch(String was, String is) {
        if (is.startsWith("f")) {
            return true;
        }
        return !was.startsWith("f")
                && Arrays.asList(is.substring(1).split(" ", -1))
                        .containsAll(Arrays.asList(was.substring(1).split(" ", -1)));
    }

    private static String identity(String state) {
        return switch (state.charAt(0)) {
            case 'f' -> "FULL";
            case 'i' -> "an index";
            case 'n' -> "NOTHING";
            default -> "DEFAULT";
        };
    }

    private static @Nullable Gap file(@Nullable Partition partition) {
        return partition == null
                ? null
                : new Gap(
                        partition.name(),
                        "the partition was truncated (or rewritten, by VACUUM FULL, CLUSTER or ALTER TABLE: PostgreSQL does not tell "
                                + "which), and a TRUNCATE of a partition by itself is not in the stream",
                        partition.changedBy());
    }
}
