package org.pgbaton.bench.arena;

import java.util.ArrayList;
import java.util.List;

/**
 * How far a contestant had come at which moment, and with how much CPU time: points that are taken some times a second, in order.
 * From them follows when it was warm, and what it costs from then on. Not thread-safe.
 */
public final class Trace {
    /**
     * All times in nanoseconds.
     *
     * @param done messages that have arrived
     * @param relay CPU time of the contestant's processes so far
     * @param server the same of PostgreSQL
     * @param broker the same of Kafka's broker
     */
    public record Point(long nanos, long done, long relay, long server, long broker) {}

    /** For the text of a finding. */
    public static final String RULE =
            "Each backlog is cut into 15 parts of equal size. The first five or more warm everything up and do not count; what counts "
                    + "begins with the first three parts in a row whose rates lie within 10 % of each other, or with the last five if there "
                    + "are no such three (marked with *not stable*), and ends with the last message";

    /** Behind a rate that never was. */
    public static final String NOT_STABLE = " *not stable*";

    private static final int PARTS = 15;
    private static final int AT_LEAST_COLD = 5;
    private static final int AT_MOST_COLD = 10;
    private static final int ALIKE = 3;

    private final List<Point> points = new ArrayList<>();

    public void add(Point point) {
        points.add(point);
    }

    private Point last() {
        return points.get(points.size() - 1);
    }

    public long done() {
        return points.isEmpty() ? 0 : last().done;
    }

    /** What it costs when it is warm. */
    public Cost warm() {
        if (done() < PARTS) {
            return Cost.NONE;
        }
        Point begin = after(coldParts());
        Point end = after(PARTS);
        return Cost.of(
                end.done - begin.done,
                Math.max(1, end.nanos - begin.nanos),
                end.server - begin.server,
                end.relay - begin.relay,
                end.broker - begin.broker);
    }

    /** Whether three parts in a row had about the same rate before the last five began. */
    public boolean isStable() {
        return done() >= PARTS && isStableFrom(coldParts());
    }

    private int coldParts() {
        int cold = AT_LEAST_COLD;
        while (cold < AT_MOST_COLD && !isStableFrom(cold)) {
            cold++;
        }
        return cold;
    }

    private boolean isStableFrom(int part) {
        List<Double> rates = new ArrayList<>();
        for (int i = part; i < part + ALIKE; i++) {
            rates.add(rate(after(i), after(i + 1)));
        }
        return WarmUp.isStable(rates);
    }

    private static double rate(Point from, Point to) {
        return (to.done - from.done) * 1e9 / Math.max(1, to.nanos - from.nanos);
    }

    /** When so many parts were done. */
    private Point after(int parts) {
        return when(done() * parts / PARTS);
    }

    /** Between two points everything is taken to be even. */
    private Point when(long done) {
        Point before = points.get(0);
        for (Point point : points) {
            if (point.done >= done && point.done > before.done) {
                double share = (double) (done - before.done) / (point.done - before.done);
                return new Point(
                        between(before.nanos, point.nanos, share),
                        done,
                        between(before.relay, point.relay, share),
                        between(before.server, point.server, share),
                        between(before.broker, point.broker, share));
            }
            before = point;
        }
        return before;
    }

    private static long between(long from, long to, double share) {
        return from + Math.round((to - from) * share);
    }

    /** The end of the first stretch of so many nanoseconds with at least this rate; the last point if there is none. */
    public Point whenAt(double perSecond, long stretch) {
        int from = 0;
        for (int to = 0; to < points.size(); to++) {
            while (from + 1 < to && points.get(to).nanos - points.get(from + 1).nanos >= stretch) {
                from++;
            }
            Point begin = points.get(from);
            Point end = points.get(to);
            if (end.nanos - begin.nanos >= stretch && rate(begin, end) >= perSecond) {
                return end;
            }
        }
        return last();
    }

    /** The first point with a message. */
    public Point whenFirst() {
        return points.stream().filter(point -> point.done > 0).findFirst().orElse(last());
    }

    public Point begin() {
        return points.get(0);
    }
}
