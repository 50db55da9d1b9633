package org.pgbaton.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.fault.Attack;
import org.pgbaton.chaos.fault.Fault;
import org.pgbaton.chaos.report.Grid;
import org.pgbaton.chaos.report.RoundBook;
import org.pgbaton.chaos.report.RoundEntry;
import org.pgbaton.chaos.report.Takeover;
import org.pgbaton.chaos.round.Round;
import org.pgbaton.chaos.world.Scenario;

/** Writes every round into the {@link RoundBook} of a folder and the file that is kept, and its reports anew. */
final class Ledger {
    private final RoundBook book;
    private final int postgres;

    Ledger(Path folder, @Nullable Path kept, int postgres) throws IOException {
        this.book = new RoundBook(folder, kept);
        this.postgres = postgres;
    }

    void add(Round.Result result) throws IOException {
        book.add(entry(result));
        book.report(grid());
    }

    void report() throws IOException {
        book.report(grid());
    }

    /**
     * How many rounds of a pair the folder tells of already. If the scenario was played alone, the rounds in which it was played together with all others
     * count, too.
     */
    int verdicts(Pair pair) throws IOException {
        int alone = verdicts(pair.scenario(), pair);
        boolean counts = alone > 0 && pair.scenario().isPartOfEverything();
        return alone + (counts ? verdicts(Scenario.EVERYTHING, pair) : 0);
    }

    private int verdicts(Scenario scenario, Pair pair) throws IOException {
        return book.verdicts(postgres, scenario.title(), pair.attack().title());
    }

    private RoundEntry entry(Round.Result result) {
        Round.Course course = result.course();
        List<RoundEntry.Event> events = course.events().stream()
                .map(event -> new RoundEntry.Event(event.millis(), event.what()))
                .toList();
        return new RoundEntry(
                postgres,
                result.scenario().title(),
                result.attack().title(),
                result.seed(),
                course.begun(),
                course.taken().toMillis() / 1000.0,
                result.violations().stream()
                        .map(each -> new RoundEntry.Broken(each.invariant().name(), each.what()))
                        .toList(),
                result.isVoid(),
                course.why(),
                result.done(),
                result.calmAfter() == null ? null : result.calmAfter().toMillis(),
                isMeasured(result.attack()) ? Takeover.millis(events, course.timeLine()) : null,
                course.violatedAt(),
                events,
                course.timeLine(),
                result.attack().isOnce() ? null : result.attack().options(result.scenario()));
    }

    /** Other strikes hide how long a takeover took. */
    private static boolean isMeasured(Attack attack) {
        return attack.isOnce() && attack.isAlone();
    }

    private static Grid grid() {
        Set<Grid.Pair> pairs = new LinkedHashSet<>();
        for (Scenario scenario : Scenario.values()) {
            for (Fault fault : Fault.values()) {
                if (fault.applies(scenario)) {
                    pairs.add(new Grid.Pair(scenario.title(), fault.title()));
                }
            }
        }
        return new Grid(Scenario.titles(), Fault.titles(), pairs);
    }
}
