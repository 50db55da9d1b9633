package org.pgbaton.bench;

/** The result of {@link Arrivals#latency}, in milliseconds. */
public record Delays(double p50, double p99, double worst) {
    /** @param micros as they were answered */
    public static Delays of(Player.Words micros) {
        return new Delays(micros.number(0) / 1e3, micros.number(1) / 1e3, micros.number(2) / 1e3);
    }

    /** For {@code --json}. */
    public void note(String name, Finding into) {
        into.number(name + ", p50 ms", p50);
        into.number(name + ", p99 ms", p99);
    }

    public String shown() {
        return Shown.millis(p50) + " / " + Shown.millis(p99) + " / " + Shown.millis(worst);
    }
}
