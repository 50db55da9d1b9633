package org.pgbaton.bench.log;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Peers;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Race;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;

/** From the first append until everything is handled, beside other event stores on PostgreSQL. */
final class PeersPart implements Part {
    private static final String BATON = "Baton";

    /**
     * @param module of {@code baton-bench/peers}; empty for Baton
     * @param arguments after the URL, user and password
     */
    private record Peer(String name, String settings, String module, String mainClass, List<String> arguments) {
        /** Contestants with slow defaults take long, and are left out with {@code --quick}. */
        boolean isQuick() {
            return !name.endsWith("defaults");
        }
    }

    private static final List<Peer> PEERS = List.of(
            new Peer(BATON, "defaults: batches of 500 to 5,000, 4 workers", "", "", List.of()),
            new Peer(
                    "Axon 4.13.0, defaults",
                    "JdbcEventStorageEngine, TrackingEventProcessor with 1 thread, batch 1",
                    "axon",
                    "org.pgbaton.bench.peers.AxonEventsPeer",
                    List.of("1")),
            new Peer(
                    "Axon 4.13.0, batch 500",
                    "the same, batch 500",
                    "axon",
                    "org.pgbaton.bench.peers.AxonEventsPeer",
                    List.of("500")),
            new Peer(
                    "Essentials 0.40.23, defaults",
                    "its starter's: batch 10, polls every 100 ms",
                    "essentials-events",
                    "org.pgbaton.bench.peers.EssentialsEventsPeer",
                    List.of("10", "100")),
            new Peer(
                    "Essentials 0.40.23, batch 500",
                    "batch 500, polls every 20 ms",
                    "essentials-events",
                    "org.pgbaton.bench.peers.EssentialsEventsPeer",
                    List.of("500", "20")));

    private final Peers peers;

    /** @param home the checkout */
    PeersPart(Path home) {
        this.peers = new Peers(home);
    }

    @Override
    public String name() {
        return "peers";
    }

    @Override
    public String title() {
        return "Beside other event stores";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        int events = (int) arena.sized(8000, 3000);
        int backlog = (int) arena.sized(60_000, 20_000);
        int limit = (int) arena.sized(10, 8);
        peers.buildWhatIsMissing(List.of("axon", "essentials-events"));
        Race race = new Race(arena, into);
        Race backlogs = new Race(arena, into);
        Map<Peer, Series> appends = new HashMap<>();
        List<Peer> contestants = PEERS.stream()
                .filter(peer -> !arena.isQuick() || peer.isQuick())
                .toList();
        for (Peer peer : contestants) {
            Series appended = appends.computeIfAbsent(peer, key -> new Series());
            race.add(peer.name(), () -> run(arena, peer, events, limit, appended));
            backlogs.add(peer.name(), () -> backlog(arena, peer, backlog, limit));
        }
        race.run(arena.isQuick() ? 1 : arena.rounds());
        arena.progress("backlogs");
        backlogs.run(1);
        into.say(Rows.CLIENTS + " writers append " + Shown.count(events)
                + " events, one to a transaction, each to a stream with a version, while one consumer handles them, one at a time, with a "
                + "handler that does nothing; writers and consumer in one JVM for each contestant. Events handled per second, from the first "
                + "append until all are handled, or until " + limit + " s are over. *Backlog*: " + Shown.count(backlog)
                + " events that were appended before the consumer started; the first fifth, when lanes are taken and code is compiled, does "
                + "not count.");
        into.header(
                "", "settings", "appended/s", "handled/s", "Baton's multiple", "backlog handled/s", "Baton's multiple");
        double best = 0;
        double bestBacklog = 0;
        for (Peer peer : contestants) {
            boolean baton = peer.name().equals(BATON);
            double handled = race.of(peer.name()).median();
            double fromBacklog = backlogs.of(peer.name()).median();
            double appended = appends.getOrDefault(peer, new Series()).median();
            into.row(
                    peer.name(),
                    peer.settings(),
                    Shown.rate(appended),
                    Shown.rate(handled),
                    baton ? "1" : race.of(BATON).dividedBy(race.of(peer.name())).shownAsRatio(),
                    Shown.rate(fromBacklog),
                    baton
                            ? "1"
                            : backlogs.of(BATON)
                                    .dividedBy(backlogs.of(peer.name()))
                                    .shownAsRatio());
            into.number(peer.name() + ", appended/s", appended);
            into.number(peer.name() + ", handled/s", handled);
            into.number(peer.name() + ", backlog handled/s", fromBacklog);
            if (!baton) {
                best = Double.isFinite(handled) ? Math.max(best, handled) : best;
                bestBacklog = Double.isFinite(fromBacklog) ? Math.max(bestBacklog, fromBacklog) : bestBacklog;
            }
        }
        into.atLeast(
                "from append to handled, beside the best of them",
                best == 0 ? Double.NaN : race.of(BATON).median() / best,
                5);
        into.atLeast(
                "a backlog, beside the best of them",
                bestBacklog == 0 ? Double.NaN : backlogs.of(BATON).median() / bestBacklog,
                5);
    }

    private double run(Arena arena, Peer peer, int events, int limit, Series appends) throws Exception {
        try (Place place = peer.module().isEmpty() ? arena.place() : arena.emptyPlace();
                Player player = start(arena, peers, peer, place)) {
            Duration patience = Duration.ofSeconds(limit + 20);
            player.ask(patience, "run", events / 5, Rows.CLIENTS, limit); // warms up
            place.execute("CHECKPOINT");
            Player.Words words = player.ask(patience, "run", events, Rows.CLIENTS, limit);
            appends.add(words.number(1) < 0 ? Double.NaN : events * 1e9 / words.number(1));
            return words.number(0) * 1e9 / words.number(2);
        }
    }

    private double backlog(Arena arena, Peer peer, int events, int limit) throws Exception {
        try (Place place = peer.module().isEmpty() ? arena.place() : arena.emptyPlace();
                Player player = start(arena, peers, peer, place)) {
            Player.Words words = player.ask(Duration.ofSeconds(limit + 60), "backlog", events, 0, limit);
            return words.number(0) * 1e9 / words.number(2);
        }
    }

    private static Player start(Arena arena, Peers peers, Peer peer, Place place)
            throws IOException, InterruptedException {
        if (peer.module().isEmpty()) {
            return arena.newPlayer(peer.name(), List.of(place.url()));
        }
        List<String> arguments = new ArrayList<>(List.of(place.url().replaceFirst("\\?.*", ""), "postgres", "none"));
        arguments.addAll(peer.arguments());
        return Player.of(
                peer.name(),
                List.of("-Dpeer.payload=" + (Rows.PAYLOAD_BYTES - 11)),
                peers.classPath(peer.module()),
                peer.mainClass(),
                arguments);
    }
}
