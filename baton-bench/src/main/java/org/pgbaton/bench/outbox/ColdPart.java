package org.pgbaton.bench.outbox;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.pgbaton.bench.arena.Arena;
import org.pgbaton.bench.arena.Check;
import org.pgbaton.bench.arena.Finding;
import org.pgbaton.bench.arena.Part;
import org.pgbaton.bench.arena.Peers;
import org.pgbaton.bench.arena.Series;
import org.pgbaton.bench.arena.Shown;
import org.pgbaton.bench.arena.Trace;

/** Measures how long a fresh process takes, and how much CPU time, until its first message and until nearly its full rate. */
final class ColdPart implements Part {
    private static final double NEARLY = 0.9;
    /** Longer than a transaction of the relay, whose messages a consumer sees all at once. */
    private static final long STRETCH = 2_000_000_000L;

    private static final double AIM_CPU_MILLIS = 10_000;

    private final Peers peers;

    ColdPart(Peers peers) {
        this.peers = peers;
    }

    /** Of one mode, all in seconds except the rate. */
    private static final class Starts {
        final Check check = new Check();
        final Series firstTime = new Series();
        final Series firstCpu = new Series();
        final Series nearlyTime = new Series();
        final Series nearlyCpu = new Series();
        final Series rate = new Series();
        boolean wasAlwaysStable = true;

        void add(Trace trace) {
            double full = trace.warm().perSecond();
            Trace.Point begin = trace.begin();
            Trace.Point first = trace.whenFirst();
            Trace.Point nearly = trace.whenAt(NEARLY * full, STRETCH);
            firstTime.add((first.nanos() - begin.nanos()) / 1e9);
            firstCpu.add(first.relay() / 1e9);
            nearlyTime.add((nearly.nanos() - begin.nanos()) / 1e9);
            nearlyCpu.add(nearly.relay() / 1e9);
            rate.add(full);
            wasAlwaysStable &= trace.isStable();
        }
    }

    @Override
    public String name() {
        return "cold";
    }

    @Override
    public String title() {
        return "Cold start";
    }

    @Override
    public void measure(Arena arena, Finding into) throws Exception {
        Map<String, Starts> all = new LinkedHashMap<>();
        Contestants.MODES.forEach(mode -> all.put(mode, new Starts()));
        try (Kafka kafka = Kafka.start();
                Draining draining = new Draining(arena, peers, kafka)) {
            draining.warmUp();
            for (int round = 0; round < (arena.isQuick() ? 1 : arena.rounds()); round++) {
                for (Map.Entry<String, Starts> mode : all.entrySet()) {
                    start(arena, draining, mode.getKey(), mode.getValue(), into);
                }
            }
        }
        into.say(
                "A fresh process with its defaults and a backlog before it; broker, consumer and PostgreSQL are warm. From the moment "
                        + "the JVM is started until the consumer has the first message, and until the end of the first two seconds with 90 % of "
                        + "the full rate, which is that of the same process when it is warm: seconds, and CPU time of the process until then. "
                        + Trace.RULE + ". Medians of " + (arena.isQuick() ? 1 : arena.rounds())
                        + " starts, both modes in turn.");
        into.header(
                "", "first message", "CPU", "90 % of the full rate", "CPU", "full rate, messages/s", "order per key");
        all.forEach((mode, starts) -> {
            into.row(
                    mode,
                    seconds(starts.firstTime),
                    seconds(starts.firstCpu),
                    seconds(starts.nearlyTime),
                    seconds(starts.nearlyCpu),
                    Shown.rate(starts.rate.median()) + (starts.wasAlwaysStable ? "" : Trace.NOT_STABLE),
                    starts.check.shown());
            into.number(mode + ", first message, s", starts.firstTime.median());
            into.number(mode + ", 90 %, s", starts.nearlyTime.median());
            into.number(mode + ", 90 %, CPU s", starts.nearlyCpu.median());
            into.atMostMillis(
                    mode + ", CPU time until 90 % of the full rate", starts.nearlyCpu.median() * 1000, AIM_CPU_MILLIS);
            starts.check.judge(mode, mode.equals(Contestants.EXACTLY_ONCE), into);
        });
    }

    private static void start(Arena arena, Draining draining, String mode, Starts starts, Finding into)
            throws InterruptedException {
        try {
            starts.add(draining.drain(Contestants.baton(mode, 1), starts.check));
            arena.progress(mode + ": 90 % after " + seconds(starts.nearlyTime) + " (median so far)");
        } catch (InterruptedException end) {
            throw end;
        } catch (Exception failed) {
            into.failed(mode, failed);
            arena.progress(mode + " FAILED: " + Shown.oneLine(failed));
        }
    }

    private static String seconds(Series series) {
        double median = series.median();
        return Double.isFinite(median) ? String.format(Locale.ROOT, "%.1f s", median) : "–";
    }
}
