package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * Publishes several {@linkplain Line lines} at once. After a failure that concerns the whole target nothing more is begun; while the
 * target may still be away, it begins with a single message. Lines go on by themselves, on the publisher's threads, until they are done,
 * or whoever waits has had enough. Thread-safe.
 */
final class Sending {
    /** So many times the patience with a slow key is had with a target that answers nothing. */
    private static final int SLOW_TARGET = 5;

    private final Workshop shop;
    private final Publisher publisher;
    private final List<Line> lines;
    private final Predicate<Message> goesOn;

    // Guarded by this.
    private int busy;
    private boolean over;
    private @Nullable Long answeredAt;

    /** @param goesOn asked before each message */
    Sending(Workshop shop, Publisher publisher, List<Line> lines, Predicate<Message> goesOn) {
        this.shop = shop;
        this.publisher = publisher;
        this.lines = lines;
        this.goesOn = goesOn;
    }

    /** @return the lines that are not confirmed to their end: failed, slow, or not gone on with */
    List<Line> run() throws InterruptedException {
        List<Line> rest = lines;
        if (shop.isProbing() && !lines.isEmpty()) {
            begin(lines.get(0), true);
            await();
            rest = lines.get(0).isConfirmed() ? lines.subList(1, lines.size()) : lines;
        }
        rest.forEach(line -> begin(line, false));
        await();
        synchronized (this) {
            over = true;
            List<Line> unconfirmed = new ArrayList<>();
            lines.stream().filter(line -> !line.isConfirmed()).forEach(unconfirmed::add);
            return unconfirmed;
        }
    }

    private void begin(Line line, boolean one) {
        synchronized (this) {
            busy++;
        }
        goOn(line, one);
    }

    /** In a loop, not by recursion: a publisher may confirm at once. */
    private void goOn(Line line, boolean one) {
        Call call = next(line);
        while (call != null) {
            shop.publish(call, publisher);
            if (!call.isDone()) {
                call.whenDone(() -> confirmed(line, one));
                return;
            }
            call = one ? null : next(line);
        }
        end();
    }

    private void confirmed(Line line, boolean one) {
        if (one) {
            end();
        } else {
            goOn(line, false);
        }
    }

    private synchronized @Nullable Call next(Line line) {
        Throwable failure = line.failure();
        if (failure != null) {
            over |= isOfTheWholeTarget(failure);
        }
        if (answeredAt == null && line.last() != null && !line.isWaiting()) {
            answeredAt = shop.nanos.getAsLong();
            notifyAll(); // whoever waits for the others has less patience now
        }
        Call next = line.next();
        if (next == null || failure != null || line.isWaiting() || over || !goesOn.test(next.unit.get(0))) {
            return null;
        }
        line.begin(shop.nanos.getAsLong());
        return next;
    }

    private boolean isOfTheWholeTarget(Throwable failure) {
        try {
            return shop.verdictOn(failure).isOfTheWholeTarget();
        } catch (RuntimeException | Error theirs) {
            return true; // the classifier itself fails; whoever waits will find that out, and say so
        }
    }

    private synchronized void end() {
        busy--;
        notifyAll();
    }

    /** Until every line has ended, or those that have not wait for a message that takes too long. */
    private synchronized void await() throws InterruptedException {
        while (busy > 0) {
            long now = shop.nanos.getAsLong();
            long left = Long.MIN_VALUE;
            for (Line line : lines) {
                Call last = line.last();
                if (last != null && line.isWaiting()) {
                    left = Math.max(left, deadline(last) - now);
                }
            }
            if (left != Long.MIN_VALUE && left <= 0) {
                return;
            }
            wait(Math.max(1, left == Long.MIN_VALUE ? 1 : left / 1_000_000 + 1));
        }
    }

    /**
     * When a message has taken too long. If none of several was answered yet it is the target that is slow, because it has to be connected
     * first, or its machine starves; setting aside every key would only make it worse. After the first answer the others get a little
     * time: what was sent together is seldom answered at once.
     */
    private long deadline(Call call) {
        long slow = shop.options.slow().toNanos();
        Long answered = answeredAt;
        if (shop.options.isTotal()) {
            return call.since() + shop.options.limit().toNanos();
        }
        if (answered != null) {
            return Math.max(call.since() + slow, answered + slow / 2);
        }
        return call.since()
                + (lines.size() == 1 && shop.hasConfirmedLately()
                        ? slow
                        : Math.min(SLOW_TARGET * slow, shop.options.limit().toNanos()));
    }
}
