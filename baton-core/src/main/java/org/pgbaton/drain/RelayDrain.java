package org.pgbaton.drain;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.Publishing;
import org.pgbaton.handling.PublishingLine;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Lane;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.work.WorkContext;

/**
 * For a publisher: all keys at once, each key's messages one after the other, or together if the publisher keeps their order. A slow one
 * goes on without anybody waiting for it.
 */
final class RelayDrain extends DrainRound {
    private final Publisher publisher;

    RelayDrain(WorkContext work, Lane lane, List<AsideKey> keys, HandlerWatch watch, Publisher publisher) {
        super(work, lane, keys, watch);
        this.publisher = publisher;
    }

    @Override
    void handle(Collection<KeyDrain> open) throws Exception {
        readHeads(open);
        Map<KeyDrain, PublishingLine> lines = new HashMap<>();
        List<PublishingLine> all = new ArrayList<>();
        for (KeyDrain drain : open) {
            List<Call> calls = new ArrayList<>();
            for (List<Message> unit : units(drain.waiting)) {
                calls.add(work.calls()
                        .prepare(unit, lane, calls.isEmpty() ? drain.aside().attempts() + 1 : 1));
            }
            if (!calls.isEmpty()) {
                PublishingLine line = new PublishingLine(calls, null);
                lines.put(drain, line);
                all.add(line);
            }
        }
        // A slow message holds up only its own key here, so it does not matter whether the key or the target is slow.
        new Publishing(
                        options,
                        work.calls(),
                        work.answers(),
                        work.nanos(),
                        publisher,
                        all,
                        message -> goesOn() && !isLongEnough(),
                        false)
                .run();
        lines.forEach(this::record);
        settleAlone();
    }

    /** The first message goes alone, because it may be the trouble. */
    private List<List<Message>> units(List<Message> messages) {
        if (messages.size() < 3 || !publisher.keepsOrder()) {
            return messages.stream().map(List::of).toList();
        }
        return List.of(messages.subList(0, 1), messages.subList(1, messages.size()));
    }

    private void record(KeyDrain drain, PublishingLine line) {
        drain.handled.addAll(line.confirmed());
        Call last = line.last();
        if (last != null && line.isWaiting()) {
            drain.slow = true;
            drain.running = last;
            work.slowKeys().add(drain.key());
        } else if (last != null && last.failure() != null) {
            drain.failure = last.failed(options);
            if (drain.failure.isOfTheWholeTarget()) {
                outage = drain.failure;
            }
        }
    }
}
