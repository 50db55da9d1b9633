package org.pgbaton.bench.growth;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Series;

/** A part that draws. */
abstract class GrowthPart implements Part {
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private final String name;
    private final String title;
    private @Nullable Plot plot;

    GrowthPart(String name, String title) {
        this.name = name;
        this.title = title;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final String title() {
        return title;
    }

    /** Puts the picture into the finding. */
    final void show(Plot drawn, Finding into) {
        plot = drawn;
        into.say("![" + title + "](images/" + file() + ")");
    }

    private String file() {
        return "growth-" + name + ".svg";
    }

    /** Writes the picture, if there is one. */
    final void writePlot(Path docs) throws IOException {
        if (plot != null) {
            plot.write(docs.resolve("images").resolve(file()));
        }
    }

    // ---- what several parts need

    /** A value, and the CPU time in microseconds that went by. */
    record Cost(double server, double players, Player.Words answer) {
        double serverPer(long units) {
            return server / units;
        }

        double playersPer(long units) {
            return players / units;
        }
    }

    /** Something to be measured. */
    interface Action {
        Player.Words run() throws Exception;
    }

    /** Measures the CPU time of the server and of these players during an action. */
    static Cost cost(Arena arena, List<Player> players, Action action) throws Exception {
        double server = Cpu.ofServer(arena.server());
        double before = Cpu.of(players);
        Player.Words answer = action.run();
        return new Cost(Cpu.ofServer(arena.server()) - server, Cpu.of(players) - before, answer);
    }

    /** A number that is measured once. */
    interface Measured {
        double value() throws Exception;
    }

    static double median(int rounds, Measured measured) throws Exception {
        Series series = new Series();
        for (int i = 0; i < rounds; i++) {
            series.add(measured.value());
        }
        return series.median();
    }

    /** Waits until the player's count of something has reached a number. */
    static void await(Player player, int word, long number, Duration patience)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        long now = player.ask(PATIENCE, "count").number(word);
        while (now < number) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(
                        player + " is at " + now + " of " + number + " after " + patience.toSeconds() + " s ("
                                + List.of("messages", "lanes", "parked keys").get(word) + ")");
            }
            Thread.sleep(5);
            now = player.ask(PATIENCE, "count").number(word);
        }
    }

    static void awaitHandled(Player player, long messages, Duration patience) throws IOException, InterruptedException {
        await(player, 0, messages, patience);
    }

    static void awaitLanes(Player player, long lanes) throws IOException, InterruptedException {
        await(player, 1, lanes, Duration.ofMinutes(1));
    }
}
