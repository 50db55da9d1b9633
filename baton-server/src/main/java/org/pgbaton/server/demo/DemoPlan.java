package org.pgbaton.server.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long a demo goes on, and who kills leaders. Immutable, apart from the time that passes. */
final class DemoPlan {
    /** What the workers compete for. */
    static final String LEADERSHIP = "demo";

    /** So that one can see what happens. */
    private static final Duration CALM = Duration.ofSeconds(6);

    private final int rounds;
    private final @Nullable Duration length;
    private final boolean gremlin;
    private final int port;
    private final long begin = System.nanoTime();

    /**
     * @param rounds 0: until Ctrl-C
     * @param length null: no limit
     * @param gremlin whether leaders are killed without being asked
     * @param port of the dashboard; 0 for any that is free
     */
    DemoPlan(int rounds, @Nullable Duration length, boolean gremlin, int port) {
        this.rounds = rounds;
        this.length = length;
        this.gremlin = gremlin;
        this.port = port;
    }

    int rounds() {
        return rounds == 0 ? Integer.MAX_VALUE : rounds;
    }

    /** Between two rounds. Scripts that count rounds do not want to wait. */
    Duration pause() {
        return rounds == 0 ? CALM : Duration.ZERO;
    }

    boolean gremlin() {
        return gremlin;
    }

    int port() {
        return port;
    }

    boolean isOver() {
        return length != null && System.nanoTime() - begin > length.toNanos();
    }

    String sentence() {
        String until = length != null
                ? "for " + length.toSeconds() + " s."
                : rounds == 0 ? "Ctrl-C ends." : Takeovers.count(rounds, "round") + ".";
        return (gremlin ? "Killing leaders; " : "Kill, freeze or cut off workers on the page; ") + until;
    }
}
