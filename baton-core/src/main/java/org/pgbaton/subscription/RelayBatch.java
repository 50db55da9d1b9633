package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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

    RelayBatch(
            Workshop shop,
            Claim claim,
            Running running,
            Map<String, Suspect> known,
            RowReader.@Nullable Rows rows,
            Publisher publisher) {
        super(shop, claim, running, known, rows);
        this.publisher = publisher;
    }

    @Override
    void handle() throws Exception {
        Attempt attempt = attempt();
        Sending sending = new Sending(shop, publisher, lines(attempt), this::mayPublish);
        List<List<Message>> unhandled = new ArrayList<>();
        for (Line line : sending.run()) {
            settle(attempt, line, unhandled);
        }
        if (!unhandled.isEmpty()) {
            remember(attempt, unhandled);
            attempt.cutBefore(unhandled).forEach(this::endUnrecorded);
        }
        closeAlone();
    }

    private boolean mayPublish(Message message) {
        Lane lane = claim.laneOf(message);
        return !lane.gone && !shop.stopping && lane.tenure.isTrusted() && !isLongEnough();
    }

    /** One for each key; in total order a single one. */
    private List<Line> lines(Attempt attempt) {
        Map<String, List<Call>> keys = new LinkedHashMap<>();
        for (Message message : attempt.todo()) {
            Lane lane = claim.laneOf(message);
            if (!lane.confirmed.contains(message.position())) {
                keys.computeIfAbsent(options.isTotal() ? "" : message.key(), key -> new ArrayList<>())
                        .add(shop.prepare(List.of(message), lane, 1));
            }
        }
        return keys.values().stream().map(Line::new).toList();
    }

    private void settle(Attempt attempt, Line line, List<List<Message>> unhandled) {
        Call last = line.last();
        if (last != null && line.isWaiting()) {
            if (options.isTotal()) {
                giveLanesUp();
                unhandled.add(line.fromLast());
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

    @Override
    void endUnrecorded(Call slow) {
        super.endUnrecorded(slow);
        if (slow.isDone() && slow.failure() == null) {
            remember(slow.unit.get(0));
        }
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
