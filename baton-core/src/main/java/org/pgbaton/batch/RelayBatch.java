package org.pgbaton.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.Publishing;
import org.pgbaton.handling.PublishingLine;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;

/**
 * For a publisher: all keys at once, each key's messages one after the other, or together if the publisher keeps their order. When all
 * are confirmed, they are closed in a transaction of its own. A crash in between sends again what was in flight or not closed yet.
 *
 * <p>When the target is away, messages may be confirmed behind one that is not; and when the database refuses to write, all of them are, and cannot be
 * closed. {@linkplain Lane#confirm Their lane} remembers them, so that they are not sent again as long as the lane is ours.
 */
final class RelayBatch extends Batch {
    private final Publisher publisher;

    RelayBatch(WorkContext work, Claim claim, HandlerWatch watch, Given given, Publisher publisher) {
        super(work, claim, watch, given);
        this.publisher = publisher;
    }

    @Override
    public void run() throws Exception {
        BatchAttempt attempt = attempt();
        Publishing sending = new Publishing(
                options, work.calls(), work.answers(), work.nanos(), publisher, lines(attempt), this::mayPublish, true);
        List<List<Message>> unhandled = new ArrayList<>();
        List<PublishingLine> unconfirmed = sending.run();
        boolean silent = sending.endedInSilence();
        for (PublishingLine line : unconfirmed) {
            settle(attempt, line, silent, unhandled);
        }
        if (!unhandled.isEmpty()) {
            remember(attempt, unhandled);
            attempt.cutBefore(unhandled);
        }
        closeOrRemember();
    }

    private boolean mayPublish(Message message) {
        Lane lane = claim.laneOf(message);
        return !lane.isGone() && !work.calls().isStopping() && lane.tenure().isTrusted() && !isLongEnough();
    }

    /** One for each key, behind whatever call of it has not ended; in total order a single one. */
    private List<PublishingLine> lines(BatchAttempt attempt) {
        Map<String, List<Message>> keys = new LinkedHashMap<>();
        for (Message message : attempt.todo()) {
            keys.computeIfAbsent(options.isTotal() ? "" : message.key(), key -> new ArrayList<>())
                    .add(message);
        }
        List<PublishingLine> lines = new ArrayList<>();
        keys.forEach((key, all) -> {
            // A call that ends in between has told the lane what is confirmed before it cannot be found here any more.
            Call earlier = work.calls().of(key);
            List<Message> messages = all.stream()
                    .filter(message -> !claim.laneOf(message).isConfirmed(message.position()))
                    .toList();
            if (messages.isEmpty()) {
                return;
            }
            List<Call> calls = new ArrayList<>();
            for (List<Message> unit : units(messages, earlier, lines.isEmpty())) {
                calls.add(work.calls().prepare(unit, claim.laneOf(unit.get(0)), 1));
            }
            lines.add(new PublishingLine(calls, earlier));
        });
        return lines;
    }

    /**
     * What is handed over together: each message alone, or all of the key. A call that has not ended has its part of the messages already.
     *
     * @param first whether this key is the first to be published: if the target may still be away, with a single message
     */
    private List<List<Message>> units(List<Message> messages, @Nullable Call earlier, boolean first) {
        if (options.isTotal() || !publisher.keepsOrder()) {
            return messages.stream().map(List::of).toList();
        }
        long begun = earlier != null ? earlier.last().position() : Long.MIN_VALUE;
        int at = first && work.answers().wasAway() ? 1 : 0;
        while (at < messages.size() && messages.get(at).position() <= begun) {
            at++;
        }
        if (at == 0 || at == messages.size()) {
            return List.of(messages);
        }
        return List.of(messages.subList(0, at), messages.subList(at, messages.size()));
    }

    private void settle(BatchAttempt attempt, PublishingLine line, boolean silent, List<List<Message>> unhandled) {
        Call last = line.last();
        if (last != null && line.isWaiting()) {
            if (options.isTotal()) {
                last.giveUp();
                giveLanesUp();
                unhandled.add(line.unconfirmed());
            } else if (silent) {
                unhandled.add(line.unconfirmed());
                rememberWhenConfirmed(last);
                interrupted(new UnitFailed(
                        last.unit(),
                        Verdict.OUTAGE,
                        "The target has answered nothing for "
                                + Duration.ofNanos(work.now() - last.since()).toSeconds() + " s.",
                        new IllegalStateException("no answer")));
            } else {
                attempt.setAside(line.unconfirmed(), last);
                work.slowKeys().add(last.unit().get(0).key());
            }
            return;
        }
        Throwable failure = line.failure();
        if (last == null || failure == null) {
            unhandled.add(line.notBegun());
            return;
        }
        UnitFailed failed = last.failed(options);
        if (failed.isOfTheWholeTarget()) {
            unhandled.add(line.unconfirmed());
            if (interruption() == null || failed.verdict() == Verdict.STOP) {
                interrupted(failed);
            }
        } else {
            if (failed.verdict() != Verdict.LATER) {
                work.counters().addFailure();
            }
            attempt.setAside(options.isTotal() ? last.unit() : line.unconfirmed(), failed.suspect());
        }
    }

    /** The message is still on its way. A batch that reads it again waits for it, or finds it confirmed. */
    private void rememberWhenConfirmed(Call call) {
        Lane lane = claim.laneOf(call.first());
        call.whenAnswered(() -> {
            if (call.isFor(lane)) {
                call.handled().forEach(message -> lane.confirm(message.position()));
            }
        });
    }

    /** Remembers messages that are confirmed although one before them is not. */
    private void remember(BatchAttempt attempt, List<List<Message>> unhandled) {
        List<Message> confirmed = new ArrayList<>(attempt.todo());
        unhandled.forEach(confirmed::removeAll);
        confirmed.forEach(this::remember);
    }
}
