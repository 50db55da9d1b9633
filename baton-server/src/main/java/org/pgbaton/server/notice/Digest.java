package org.pgbaton.server.notice;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.BatchReaction;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * One notice for all changes of a key within an interval.
 *
 * <p>Guarantee: every change is in a notice that was sent, whatever crashes when; a key has at most one notice within an interval.
 *
 * <p>Protocol:
 *
 * <ol>
 *   <li>The first change of a key is answered with "later" until the interval since it was written is over. This sets its key aside: the changes
 *       that follow wait behind it, in the database.
 *   <li>When the interval is over, all of them are handed over at once and sent in one notice.
 *   <li>When the notice is confirmed, they stop waiting. After a crash before that they are sent again.
 * </ol>
 *
 * <p>Memory holds only the time of each key's last notice, for the last interval and for at most {@value #MOST_KEYS} keys. A key that was
 * forgotten, or whose lane has a new owner, can get a second notice within an interval if it has more changes than fit into one.
 *
 * <p>The id of a notice is made from the ids of its changes. The same changes sent again have the same id, so that a receiver can recognise them;
 * with one more change the id is another. Thread-safe.
 */
final class Digest implements BatchReaction {
    /** In one notice. The texts of this many changes fit into a message of Slack. */
    static final int MOST_CHANGES = 100;

    private static final int MOST_KEYS = 100_000;

    private final Channel channel;
    private final Duration interval;
    private final Supplier<Instant> now;
    private final LongSupplier nanos;
    private final Map<String, Long> sentAt = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_KEYS;
        }
    };

    Digest(Channel channel, Duration interval, Supplier<Instant> now, LongSupplier nanos) {
        this.channel = channel;
        this.interval = interval;
        this.now = now;
        this.nanos = nanos;
    }

    @Override
    public void handle(List<Message> unit, Delivery delivery) throws Exception {
        List<Message> messages = new ArrayList<>();
        List<RowChange> changes = new ArrayList<>();
        for (Message message : unit) {
            try {
                RowChange change = RowChange.of(message);
                if (channel.isAbout(change)) {
                    messages.add(message);
                    changes.add(change);
                }
            } catch (HandlerException cannotTell) {
                throw cannotTell.about(message);
            }
        }
        if (messages.isEmpty()) {
            return;
        }
        Message first = messages.get(0);
        Duration wait = untilDue(first);
        if (!wait.isZero()) {
            throw new HandlerException(
                    Verdict.LATER, "Changes of this key are collected for " + interval.toSeconds() + " s.", null, wait);
        }
        Notice notice = notice(messages, changes);
        send(notice, messages.size() == 1 ? first : first.replaced(idOf(messages), true, first.payload()), delivery);
        remember(first.key());
    }

    /** How long it is until a whole interval has passed both since the first change was written and since the last notice was sent. */
    private Duration untilDue(Message first) {
        Duration sinceWritten = Duration.between(first.recordedAt(), now.get());
        Duration left = interval.minus(sinceWritten.isNegative() ? Duration.ZERO : sinceWritten);
        Long sent;
        synchronized (sentAt) {
            sent = sentAt.get(first.key());
        }
        Duration sinceSent = sent == null ? interval : Duration.ofNanos(nanos.getAsLong() - sent);
        Duration longer = left.compareTo(interval.minus(sinceSent)) > 0 ? left : interval.minus(sinceSent);
        // Waiting for less than a millisecond is not worth another call.
        return longer.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ZERO : longer;
    }

    private void remember(String key) {
        long time = nanos.getAsLong();
        synchronized (sentAt) {
            sentAt.remove(key);
            sentAt.put(key, time);
            // The map is in the order of sending.
            sentAt.values().removeIf(sent -> time - sent > interval.toNanos());
        }
    }

    /** If the notice cannot be written, the exception names the message that is at fault. */
    private Notice notice(List<Message> messages, List<RowChange> changes) {
        try {
            return channel.notice(changes);
        } catch (HandlerException wrong) {
            for (int i = 0; i < changes.size(); i++) {
                try {
                    channel.notice(List.of(changes.get(i)));
                } catch (HandlerException itsOwn) {
                    throw itsOwn.about(messages.get(i));
                }
            }
            throw wrong.about(messages.get(0));
        }
    }

    private void send(Notice notice, Message message, Delivery delivery) throws Exception {
        try {
            channel.send(notice, message, delivery).toCompletableFuture().get();
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof Exception theirs ? theirs : failure;
        }
    }

    /** A UUID of version 8, which is for custom formats, made from a hash. */
    private static UUID idOf(List<Message> messages) {
        StringBuilder ids = new StringBuilder();
        messages.forEach(message -> ids.append(message.id()).append('\n'));
        UUID hash = UUID.nameUUIDFromBytes(ids.toString().getBytes(StandardCharsets.US_ASCII));
        return new UUID((hash.getMostSignificantBits() & ~0xF000L) | 0x8000L, hash.getLeastSignificantBits());
    }
}
