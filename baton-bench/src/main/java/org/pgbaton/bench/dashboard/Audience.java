package org.pgbaton.bench.dashboard;

import java.io.IOException;
import java.time.Duration;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Place;
import org.pgbaton.bench.arena.Player;
import org.pgbaton.bench.arena.Shown;

/** How many look, and at what. */
record Audience(int viewers, int subscriptions, int parked) {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** Makes what there is to look at, and serves it. Returns the address of the dashboard. */
    String desk(Arena arena, Place place) throws IOException, InterruptedException {
        arena.progress("starting " + subscriptions + " subscriptions, parking " + parked + " keys");
        arena.player("workers").ask(PATIENCE, "crowd", place.url(), subscriptions, parked);
        return "http://127.0.0.1:"
                + arena.player("desk").ask(PATIENCE, "desk", place.url()).number(0);
    }

    /** All come at once. */
    void come(Arena arena, String address) throws IOException, InterruptedException {
        arena.player("viewers").ask(PATIENCE, "come", address, viewers);
    }

    /** @return for each page its {@link Visits#words}, and the number of events before them */
    Player.Words go(Arena arena) throws IOException, InterruptedException {
        return arena.player("viewers").ask(PATIENCE, "go");
    }

    String shown() {
        return viewers + " viewers, " + Shown.count(subscriptions) + " subscriptions, " + Shown.count(parked)
                + " parked keys";
    }
}
