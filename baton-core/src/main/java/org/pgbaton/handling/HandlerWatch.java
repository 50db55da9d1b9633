package org.pgbaton.handling;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.session.LogFields;

/**
 * Watches over a projection's handler on a worker's thread: interrupts it when it takes too long, and gives it up when that does not help.
 * Thread-safe.
 */
public final class HandlerWatch {
    /** How long a handler that was interrupted gets to return. */
    public static final Duration GRACE = Duration.ofSeconds(5);

    private @Nullable Thread thread;
    private @Nullable Connection connection;
    private @Nullable List<Message> unit;
    private long since;
    private boolean interrupted;
    private volatile boolean givenUp;

    synchronized void handlerStarts(List<Message> unit, Connection connection, long now) {
        this.thread = Thread.currentThread();
        this.unit = unit;
        this.connection = connection;
        this.since = now;
        this.interrupted = false;
    }

    /** @return whether the handler was interrupted for taking too long */
    synchronized boolean end() {
        boolean late = interrupted;
        thread = null;
        unit = null;
        connection = null;
        if (late) {
            Thread.interrupted(); // it was meant for the handler, which is over
        }
        interrupted = false;
        return late;
    }

    /** Nothing this thread does counts any more. */
    public boolean isGivenUp() {
        return givenUp;
    }

    public synchronized boolean isOver(Duration limit, long now) {
        return unit != null && now - since > limit.toNanos();
    }

    public synchronized void interrupt() {
        if (thread != null && !interrupted) {
            interrupted = true;
            thread.interrupt();
        }
    }

    /** @return what it was stuck in; null if it has just ended */
    public synchronized @Nullable List<Message> giveUp() {
        if (unit == null || givenUp) {
            return null;
        }
        givenUp = true;
        Connection open = connection;
        if (open != null) {
            try {
                open.abort(Runnable::run);
            } catch (SQLException alreadyGone) {
                // That is what we wanted.
            }
        }
        return unit;
    }

    /** What it is at, for the log: as a sentence, and the message by its fields. */
    public synchronized LogFields describe(long now) {
        return unit == null
                ? LogFields.several("has just ended", Map.of())
                : LogFields.several(describe(unit, thread, now - since), fields(unit.get(0)));
    }

    private static Map<String, Object> fields(Message message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("lane", message.lane());
        fields.put("key", message.key());
        fields.put("position", message.position());
        return fields;
    }

    static String describe(List<Message> unit, @Nullable Thread thread, long nanos) {
        StringBuilder text = new StringBuilder(
                "has been at " + unit.get(0) + " for " + Duration.ofNanos(nanos).toSeconds() + " s");
        StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        for (int i = 0; i < Math.min(8, stack.length); i++) {
            text.append(i == 0 ? ", at " : " < ").append(stack[i]);
        }
        return text.toString();
    }
}
