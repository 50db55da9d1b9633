package org.pgbaton.handling;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * Messages that are published one after the other, each when the one before is confirmed; or in groups, if the publisher keeps the order
 * of what it gets together. An earlier call of the key that has not ended is waited for first; if it is a call of the first message, for
 * the same lane, it is not called again. Guarded by its {@link Publishing}.
 */
public final class PublishingLine {
    private final List<Call> calls;
    /** As this batch has read them. An earlier call has another copy of its messages, which are not equal to ours. */
    private final List<List<Message>> units = new ArrayList<>();

    private final @Nullable Call earlier;
    private int begun;

    public PublishingLine(List<Call> calls, @Nullable Call earlier) {
        this.calls = calls;
        calls.forEach(call -> units.add(call.unit()));
        if (earlier != null && isOfTheFirst(earlier)) {
            calls.set(0, earlier);
            this.begun = 1;
            this.earlier = null;
        } else {
            this.earlier = earlier;
        }
    }

    private boolean isOfTheFirst(Call call) {
        Call first = calls.get(0);
        return call.hasSameOwner(first)
                && call.first().position() == first.first().position();
    }

    /** The call that must end before this line can begin, or go on; null if there is none. */
    @Nullable
    Call blocking() {
        Call before = earlier;
        if (before != null && !before.isDone()) {
            return before;
        }
        Call last = begun == 0 ? null : calls.get(begun - 1);
        return last == null || last.isDone() ? null : last;
    }

    @Nullable
    Call next() {
        return begun == calls.size() ? null : calls.get(begun);
    }

    /** From now on the next message counts as on its way, even before the publisher has it. */
    void countAsSent(long now) {
        calls.get(begun).beginsAt(now);
        begun++;
    }

    /** The call of the message that was sent last, or the earlier call that the first one waits for; null if there is neither. */
    @Nullable
    public Call last() {
        return begun > 0 ? calls.get(begun - 1) : earlier != null && !earlier.isDone() ? earlier : null;
    }

    /** Whether a message is on its way. */
    public boolean isWaiting() {
        return blocking() != null;
    }

    /** The messages that are confirmed. */
    public List<Message> confirmed() {
        List<Message> all = new ArrayList<>();
        for (int i = 0; i < begun; i++) {
            long upTo = lastPosition(calls.get(i).handled());
            units.get(i).stream().filter(message -> message.position() <= upTo).forEach(all::add);
        }
        return all;
    }

    private static long lastPosition(List<Message> messages) {
        return messages.isEmpty()
                ? Long.MIN_VALUE
                : messages.get(messages.size() - 1).position();
    }

    boolean isConfirmed() {
        // An earlier call may have failed with a message that this batch has not read.
        return begun == calls.size()
                && !isWaiting()
                && (failure() == null || unconfirmed().isEmpty());
    }

    @Nullable
    public Throwable failure() {
        Call last = last();
        return last == null ? null : last.failure();
    }

    public List<Message> notBegun() {
        return messages(begun);
    }

    /** From the first message on that is not confirmed. */
    public List<Message> unconfirmed() {
        List<Message> left = messages(Math.max(0, begun - 1));
        long upTo =
                begun == 0 ? Long.MIN_VALUE : lastPosition(calls.get(begun - 1).handled());
        left.removeIf(message -> message.position() <= upTo);
        return left;
    }

    private List<Message> messages(int from) {
        List<Message> left = new ArrayList<>();
        units.subList(from, units.size()).forEach(left::addAll);
        return left;
    }
}
