package org.pgbaton.chaos.verdict;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgbaton.chaos.history.History;

/** What operators did to one subscription, as the database recorded it, and what that changes in what is expected of it. Pure functions. */
final class Operations {
    private final List<History.Operation> all;

    Operations(History history, String subscription) {
        this.all = history.operations().stream()
                .filter(operation -> operation.subscription().equals(subscription))
                .toList();
    }

    /** Subscriptions that somebody moved back. */
    static Set<String> movedBack(History history) {
        return history.operations().stream()
                .filter(Operations::movesBack)
                .map(History.Operation::subscription)
                .collect(Collectors.toSet());
    }

    /** Whether messages are handled again because somebody asked for it. */
    boolean movedBack() {
        return all.stream().anyMatch(Operations::movesBack);
    }

    /** Positions of messages that were skipped and that nobody asked for again. */
    Set<Long> skipped() {
        Set<Long> skipped = new HashSet<>();
        for (History.Operation operation : all) {
            if (operation.what().equals("skip")) {
                skipped.add(operation.position());
            } else if (movesBack(operation)) {
                skipped.removeIf(position -> position > operation.position());
            }
        }
        return skipped;
    }

    /** Also those that somebody asked for again: the next of their key may have come before them. */
    Set<Long> everSkipped() {
        Set<Long> skipped = new HashSet<>();
        all.stream()
                .filter(operation -> operation.what().equals("skip"))
                .forEach(operation -> skipped.add(operation.position()));
        return skipped;
    }

    private static boolean movesBack(History.Operation operation) {
        return operation.what().equals("rewind") || operation.what().equals("delete");
    }
}
