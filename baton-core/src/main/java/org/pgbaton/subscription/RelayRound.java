package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.log.Message;

/** For a publisher: all keys at once, each key's messages one after the other; one that is slow is left, and waited for by nobody. */
final class RelayRound extends Round {
    private final Publisher publisher;

    RelayRound(Workshop shop, Lane lane, List<Parked> keys, Running running, Publisher publisher) {
        super(shop, lane, keys, running);
        this.publisher = publisher;
    }

    @Override
    void handle(Collection<Course> open) throws Exception {
        readHeads(open);
        Map<Course, Line> lines = new HashMap<>();
        List<Line> all = new ArrayList<>();
        for (Course course : open) {
            List<Call> calls = new ArrayList<>();
            for (Message message : course.waiting) {
                calls.add(shop.prepare(List.of(message), lane, calls.isEmpty() ? course.parked.attempts + 1 : 1));
            }
            if (!calls.isEmpty()) {
                Line line = new Line(calls, null);
                lines.put(course, line);
                all.add(line);
            }
        }
        // What is slow here waits by itself: nobody else is held up, so it does not matter whose fault it is.
        new Sending(shop, publisher, all, message -> goesOn() && !isLongEnough(), false).run();
        lines.forEach(this::record);
        settleAlone();
    }

    private void record(Course course, Line line) {
        course.handled.addAll(line.confirmed());
        Call last = line.last();
        Throwable failure = line.failure();
        if (last != null && line.isWaiting()) {
            course.slow = true;
            course.inFlight = last;
            shop.slow(course.parked.key);
        } else if (last != null && failure != null) {
            course.failure = shop.failed(last.unit, failure);
            if (course.failure.isOfTheWholeTarget()) {
                outage = course.failure;
            }
        }
    }
}
