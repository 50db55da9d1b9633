package org.pgbaton.subscription;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.log.Message;

/**
 * For a publisher: all keys at once, each key's messages one after the other; when all are confirmed, close in a transaction of its
 * own. A crash in between sends again what was in flight or not closed yet.
 *
 * <p>When the target is away, what has been confirmed behind the first message that has not stays in {@link Lane#confirmed}: it is not
 * sent again, as long as the lane is ours.
 */
final class RelayBatch extends Batch {
    private final Publisher publisher;

    RelayBatch(Workshop shop, Claim claim, Running running, Given given, Publisher publisher) {
        super(shop, claim, running, given);
        this.publisher = publisher;
    }

    @Override
    void handle() throws Exception {
        Attempt attempt = attempt();
        Sending sending = new Sending(shop, publisher, lines(attempt), this::mayPublish, true);
        List<List<Message>> unhandled = new ArrayList<>();
        List<Line> unconfirmed = sending.run();
        boolean silent = sending.endedInSilence();
        for (Line line : unconfirmed) {
            settle(attempt, line, silent, unhandled);
        }
        if (!unhandled.isEmpty()) {
            remember(attempt, unhandled);
            attempt.cutBefore(unhandled);
        }
        closeAlone();
    }

    private boolean mayPublish(Message message) {
        Lane lane = claim.laneOf(message);
        return !lane.gone && !shop.stopping && lane.tenure.isTrusted() && !isLongEnough();
    }

    /** One for each key, behind whatever call of it has not ended; in total order a single one. */
    private List<Line> lines(Attempt attempt) {
        Map<String, List<Call>> keys = new LinkedHashMap<>();
        for (Message message : attempt.todo()) {
            Lane lane = claim.laneOf(message);
            if (!lane.confirmed.contains(message.position())) {
                keys.computeIfAbsent(options.isTotal() ? "" : message.key(), key -> new ArrayList<>())
                        .add(shop.prepare(List.of(message), lane, 1));
            }
        }
        List<Line> lines = new ArrayList<>();
        keys.forEach((key, calls) -> lines.add(new Line(calls, shop.calls.of(key))));
        return lines;
    }

    private void settle(Attempt attempt, Line line, boolean silent, List<List<Message>> unhandled) {
        Call last = line.last();
        if (last != null && line.isWaiting()) {
            if (options.isTotal()) {
                last.giveUp();
                giveLanesUp();
                unhandled.add(line.fromLast());
            } else if (silent) {
                unhandled.add(line.fromLast());
                rememberWhenConfirmed(last);
                interrupted(new UnitFailed(
                        last.unit,
                        Verdict.OUTAGE,
                        "The target has answered nothing for "
                                + Duration.ofNanos(shop.nanos.getAsLong() - last.since())
                                        .toSeconds() + " s.",
                        new IllegalStateException("no answer")));
            } else {
                attempt.setAside(line.fromLast(), last);
                shop.slow(last.unit.get(0).key());
            }
            return;
        }
        Throwable failure = line.failure();
        if (last == null || failure == null) {
            unhandled.add(line.notBegun());
            return;
        }
        UnitFailed failed = shop.failed(last.unit, failure);
        if (failed.isOfTheWholeTarget()) {
            unhandled.add(line.fromLast());
            if (interruption() == null || failed.verdict == Verdict.STOP) {
                interrupted(failed);
            }
        } else {
            if (failed.verdict != Verdict.LATER) {
                shop.counters.failures.increment();
            }
            attempt.setAside(options.isTotal() ? last.unit : line.fromLast(), failed.suspect());
        }
    }

    /** It is on its way still; whoever reads it again waits for it, or finds it confirmed. */
    private void rememberWhenConfirmed(Call call) {
        call.whenDone(() -> {
            if (call.failure() == null) {
                call.lane.confirmed.add(call.unit.get(0).position());
            }
        });
    }

    /** What is confirmed, but lies behind something that is not. */
    private void remember(Attempt attempt, List<List<Message>> unhandled) {
        List<Message> confirmed = new ArrayList<>(attempt.todo());
        unhandled.forEach(confirmed::removeAll);
        confirmed.forEach(this::remember);
    }

    private void remember(Message confirmed) {
        claim.laneOf(confirmed).confirmed.add(confirmed.position());
    }
}
