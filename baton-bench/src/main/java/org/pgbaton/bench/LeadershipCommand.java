package org.pgbaton.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.pgbaton.embedded.PostgresServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code baton bench leadership}: measures how long it takes until another process leads, after {@code kill -9},
 * SIGSTOP and SIGTERM, and what standing by costs.
 *
 * <p>The contenders take turns, several times over, so that a noisy minute hits all of them. Each has three processes to a
 * lock, on a durable PostgreSQL of its own. Where takeover takes seconds, several locks are measured at the same time; where it
 * takes milliseconds, nothing else runs.
 */
@Command(
        name = "leadership",
        mixinStandardHelpOptions = true,
        description = "Takeover times, and the cost of standing by.")
final class LeadershipCommand implements Callable<Integer> {
    private static final int TURNS = 2;
    private static final int LOCKS_AT_ONCE = 5;
    private static final int SECONDS_OF_IDLENESS = 20;

    @Option(
            names = "--rounds",
            defaultValue = "30",
            description = "Rounds of each kind for each contender (default: 30).")
    private int rounds;

    @Option(names = "--no-peers", description = "Measure only Baton.")
    private boolean noPeers;

    @Option(names = "--no-write", description = "Print the result without writing docs/benchmarks.md.")
    private boolean noWrite;

    @Override
    public Integer call() throws Exception {
        if (rounds < 1) {
            System.err.println("baton: --rounds " + rounds + " makes no sense: give 1 or more (default 30).");
            return 64;
        }
        Path home = Path.of(System.getProperty("baton.home", "."));
        List<Contender> contenders = new ArrayList<>(List.of(Contenders.baton()));
        if (!noPeers) {
            contenders.addAll(new Contenders(home).peers());
        }
        List<LeadershipResult> results =
                contenders.stream().map(LeadershipResult::new).toList();
        Map<String, String> settings =
                Map.of("fsync", "on", "synchronous_commit", "on", "max_connections", "200", "log_line_prefix", "[%a] ");
        int perTurn = (rounds + TURNS - 1) / TURNS;
        String version;
        try (PostgresServer server = PostgresServer.throwaway(settings)) {
            version = Machine.versionOf(server);
            for (int turn = 1; turn <= TURNS; turn++) {
                for (LeadershipResult result : results) {
                    measure(server, result, perTurn, turn);
                }
            }
        }
        LeadershipReport report = new LeadershipReport(results, version);
        System.out.println(report.text());
        if (!noWrite) {
            Section.of("leadership", "leadership", List.of("leadership"))
                    .write(home.resolve("docs/benchmarks.md"), report.text());
        }
        return report.aimsMet() ? 0 : 1;
    }

    private static void measure(PostgresServer server, LeadershipResult result, int times, int turn) throws Exception {
        Contender contender = result.contender;
        System.err.println("turn " + turn + ": " + contender.name());
        if (contender.quick()) {
            rounds(server, result, "kill", 1, times, Group.End.KILL, result.killed);
            rounds(server, result, "hand", 1, times, Group.End.TERMINATE, result.handedOver);
        } else {
            rounds(server, result, "kill", LOCKS_AT_ONCE, times, Group.End.KILL, result.killed);
            rounds(server, result, "hand", LOCKS_AT_ONCE, times, Group.End.TERMINATE, result.handedOver);
        }
        rounds(server, result, "stop", LOCKS_AT_ONCE, times, Group.End.FREEZE, result.frozen);
        if (turn == 1) {
            countStatements(server, result);
        }
    }

    private static void rounds(
            PostgresServer server,
            LeadershipResult result,
            String kind,
            int locks,
            int times,
            Group.End end,
            Samples into)
            throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(locks);
        try {
            List<Future<?>> groups = new ArrayList<>();
            for (int lock = 0; lock < locks; lock++) {
                int share = times / locks + (lock < times % locks ? 1 : 0);
                String name = kind + "-" + Long.toHexString(System.nanoTime()) + lock;
                groups.add(executor.submit(() -> {
                    try (Group group = new Group(
                            result.contender, server.jdbcUrl("postgres").replaceFirst("\\?.*", ""), name)) {
                        for (int round = 0; round < share; round++) {
                            into.add(group.round(end));
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> group : groups) {
                group.get();
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        } finally {
            executor.shutdownNow();
        }
        System.err.println("  " + end + ": " + into.shown() + " (" + into.size() + " rounds)");
    }

    private static void countStatements(PostgresServer server, LeadershipResult result)
            throws IOException, InterruptedException, SQLException {
        StatementCount count = new StatementCount(server, SECONDS_OF_IDLENESS);
        try (Group group =
                new Group(result.contender, server.jdbcUrl("postgres").replaceFirst("\\?.*", ""), "idle")) {
            Thread.sleep(Duration.ofSeconds(3).toMillis()); // what they do at the start does not count
            result.leaderStatements = count.perSecond(List.of(group.leader()));
            List<String> standbys = new ArrayList<>(group.names());
            standbys.remove(group.leader());
            result.standbyStatements = count.perSecond(standbys) / standbys.size();
        }
    }
}
