package org.pgbaton.chaos.report;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All rounds added up, and the few of which more is told. */
final class Totals {
    private static final int LATEST = 40;
    /** Of a campaign against a bug, nobody reads more. */
    private static final int MOST_VIOLATED = 200;

    private record Played(int postgres, Grid.Pair pair) {}

    private final Sum all = new Sum();
    private final SortedMap<Integer, Sum> byPostgres = new TreeMap<>();
    private final Map<Grid.Pair, Sum> byPair =
            new TreeMap<>(Comparator.comparing(Grid.Pair::scenario).thenComparing(Grid.Pair::fault));
    private final Map<Played, Integer> verdicts = new HashMap<>();
    private final Map<String, Sum> byFault = new LinkedHashMap<>();
    private final Deque<RoundEntry> latest = new ArrayDeque<>();
    private final List<RoundEntry> violated = new ArrayList<>();
    private int unreadable;
    private @Nullable Instant first;
    private @Nullable Instant last;

    void add(RoundEntry round) {
        addInShort(round);
        show(round);
    }

    /** Of which nothing more is told: its time line is not known. */
    void addInShort(RoundEntry round) {
        all.add(round);
        byPostgres.computeIfAbsent(round.postgres(), version -> new Sum()).add(round);
        Grid.Pair pair = new Grid.Pair(round.scenario(), round.fault());
        byPair.computeIfAbsent(pair, unknown -> new Sum()).add(round);
        if (!round.isVoid()) {
            verdicts.merge(new Played(round.postgres(), pair), 1, Integer::sum);
        }
        byFault.computeIfAbsent(round.fault(), fault -> new Sum()).add(round);
        Instant begun = round.begun();
        if (begun != null) {
            first = first == null || begun.isBefore(first) ? begun : first;
            last = last == null || begun.isAfter(last) ? begun : last;
        }
    }

    /** Its time line, if it is among the latest or violated. */
    void show(RoundEntry round) {
        if (round.isViolated() && violated.size() < MOST_VIOLATED) {
            violated.add(round);
        }
        latest.addFirst(round);
        if (latest.size() > LATEST) {
            latest.removeLast();
        }
    }

    void addUnreadable() {
        unreadable++;
    }

    Sum all() {
        return all;
    }

    SortedMap<Integer, Sum> byPostgres() {
        return Collections.unmodifiableSortedMap(byPostgres);
    }

    Map<Grid.Pair, Sum> byPair() {
        return Collections.unmodifiableMap(byPair);
    }

    Map<String, Sum> byFault() {
        return Collections.unmodifiableMap(byFault);
    }

    /** Rounds of a pair that came to a verdict. */
    int verdicts(int postgres, Grid.Pair pair) {
        return verdicts.getOrDefault(new Played(postgres, pair), 0);
    }

    /** The latest rounds, the last one first. */
    List<RoundEntry> latest() {
        return List.copyOf(latest);
    }

    /** The first of them, in the order in which they were played. */
    List<RoundEntry> violated() {
        return Collections.unmodifiableList(violated);
    }

    /** Lines that are no rounds; of a campaign that was ended while it wrote, for example. */
    int unreadable() {
        return unreadable;
    }

    @Nullable
    Instant first() {
        return first;
    }

    @Nullable
    Instant last() {
        return last;
    }

    /** Whether there was a verdict, and no bad one. */
    boolean isGood() {
        return all.violated() == 0 && all.rounds() > all.without();
    }

    String verdict() {
        if (all.rounds() == 0) {
            return "No round was played yet";
        }
        if (all.violated() > 0) {
            return "A promise did not hold in " + Numbers.rounds(all.violated());
        }
        // What is void proves nothing.
        return isGood()
                ? "Every promise held in " + Numbers.rounds(all.rounds() - all.without())
                : "No round came to a verdict";
    }
}
