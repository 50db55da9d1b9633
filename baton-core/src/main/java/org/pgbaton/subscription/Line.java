package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/** Messages that are published one after the other, each when the one before is confirmed. Guarded by its {@link Sending}. */
final class Line {
    private final List<Call> calls;
    private int begun;

    Line(List<Call> calls) {
        this.calls = calls;
    }

    @Nullable
    Call next() {
        return begun == calls.size() ? null : calls.get(begun);
    }

    /** The next one is on its way from now on, also for those who look before its publisher has it. */
    void begin(long now) {
        calls.get(begun).beginsAt(now);
        begun++;
    }

    /** The message that was sent last; null if none was. */
    @Nullable
    Call last() {
        return begun == 0 ? null : calls.get(begun - 1);
    }

    /** Whether a message is on its way. */
    boolean isWaiting() {
        Call last = last();
        return last != null && !last.isDone();
    }

    boolean isConfirmed() {
        return begun == calls.size() && !isWaiting() && failure() == null;
    }

    @Nullable
    Throwable failure() {
        Call last = last();
        return last == null ? null : last.failure();
    }

    List<Message> notBegun() {
        return messages(begun);
    }

    /** From the message that was sent last on. */
    List<Message> fromLast() {
        return messages(begun - 1);
    }

    private List<Message> messages(int from) {
        List<Message> left = new ArrayList<>();
        calls.subList(from, calls.size()).forEach(call -> left.addAll(call.unit));
        return left;
    }
}
