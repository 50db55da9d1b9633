package org.pgbaton.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.round.Round;
import org.pgbaton.chaos.targets.Brokers;
import org.pgbaton.chaos.world.IdleProcesses;
import org.pgbaton.testkit.TestServer;

/** Rounds of all pairs of scenario and fault, in an order that the seed gives, until there are enough or the time is over. */
final class Campaign {
    private static final Map<String, String> SETTINGS =
            Map.of("max_connections", "150", "max_prepared_transactions", "20", "deadlock_timeout", "200ms");

    private final List<Pair> pairs;
    private final int rounds;
    private final boolean resumes;
    private final Duration atMost;
    private final long seed;
    private final boolean stopsAtViolation;
    private final Path folder;
    private final @Nullable Path kept;
    private final List<Round.Result> results = new ArrayList<>();
    /** Of the rounds that are asked for. */
    private int alreadyPlayed;

    /**
     * @param rounds for each pair; 0: as many as there is time for
     * @param resumes whether those count that the folder tells of already
     * @param kept a file that keeps all rounds in short form
     */
    Campaign(
            List<Pair> pairs,
            int rounds,
            boolean resumes,
            Duration atMost,
            long seed,
            boolean stopsAtViolation,
            Path folder,
            @Nullable Path kept) {
        this.pairs = List.copyOf(pairs);
        this.rounds = rounds;
        this.resumes = resumes;
        this.atMost = atMost;
        this.seed = seed;
        this.stopsAtViolation = stopsAtViolation;
        this.folder = folder;
        this.kept = kept;
    }

    List<Round.Result> run() throws Exception {
        long begun = System.nanoTime();
        Random random = new Random(seed);
        try (TestServer server = TestServer.start(SETTINGS);
                Brokers brokers = new Brokers();
                IdleProcesses idle = new IdleProcesses()) {
            Ledger ledger = new Ledger(folder, kept, server.postgres().majorVersion());
            ledger.report();
            alreadyPlayed = resumes ? alreadyPlayed(ledger) : 0;
            say("PostgreSQL " + server.postgres().majorVersion() + ", " + pairs.size()
                    + (pairs.size() == 1 ? " pair" : " pairs")
                    + " of scenario and fault, seed " + seed + ".");
            for (int round = 1; rounds == 0 || round <= rounds; round++) {
                List<Pair> order = new ArrayList<>(pairs);
                Collections.shuffle(order, random);
                for (Pair pair : order) {
                    // One round with a given seed is that round, not one with a seed drawn from it.
                    long its = pairs.size() == 1 && rounds == 1 ? seed : random.nextLong() & 0xffff_ffffL;
                    if (resumes && ledger.verdicts(pair) >= round) {
                        continue;
                    }
                    if (Duration.ofNanos(System.nanoTime() - begun).compareTo(atMost) > 0) {
                        return results;
                    }
                    Round.Result result =
                            new Round(server, brokers, idle, pair.scenario(), pair.attack(), its, folder).run();
                    results.add(result);
                    tell(result, begun);
                    ledger.add(result);
                    if (stopsAtViolation && !result.violations().isEmpty()) {
                        return results;
                    }
                }
            }
        }
        return results;
    }

    private int alreadyPlayed(Ledger ledger) throws IOException {
        int played = 0;
        for (Pair pair : pairs) {
            played += Math.min(rounds, ledger.verdicts(pair));
        }
        return played;
    }

    private void tell(Round.Result result, long begun) {
        long violated =
                results.stream().filter(each -> !each.violations().isEmpty()).count();
        int all = rounds * pairs.size() - alreadyPlayed;
        Duration taken = Duration.ofNanos(System.nanoTime() - begun);
        String left =
                rounds == 0 ? "" : ", " + (taken.toSeconds() * (all - results.size()) / results.size()) + " s left";
        say(String.format(
                Locale.ROOT,
                "%5d s  round %d%s  %-11s %-18s seed %-10d %6d done, calm after %s%s; %d violated so far%s",
                taken.toSeconds(),
                results.size(),
                rounds == 0 ? "" : " of " + all,
                result.scenario().title(),
                result.attack().title(),
                result.seed(),
                result.done(),
                result.calmAfter() == null ? "never" : result.calmAfter().toMillis() + " ms",
                result.isVoid() ? ", VOID: " + result.course().why() : "",
                violated,
                left));
        result.violations().forEach(violation -> say("         VIOLATION " + violation));
        if (result.evidence() != null) {
            say("         evidence in " + result.evidence());
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
