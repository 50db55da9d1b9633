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
    private final Workshop shop;
    private final Publisher publisher;
    private final List<Line> lines;
    private final Predicate<Message> goesOn;

    // Guarded by this.
    private int busy;
    private boolean over;

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
        Call next = line.next();
        if (next == null || failure != null || line.isWaiting() || over || !goesOn.test(next.unit.get(0))) {
            return null;
        }
        line.begin();
        return next;
    }

    private boolean isOfTheWholeTarget(Throwable failure) {
        try {
            Verdict verdict = shop.verdictOn(failure);
            return verdict == Verdict.OUTAGE || verdict == Verdict.STOP;
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
        long patience = (shop.options.isTotal() ? shop.options.limit() : shop.options.slow()).toNanos();
        while (busy > 0) {
            long now = shop.nanos.getAsLong();
            long left = Long.MIN_VALUE;
            for (Line line : lines) {
                Call last = line.last();
                if (last != null && line.isWaiting()) {
                    left = Math.max(left, last.since() + patience - now);
                }
            }
            if (left != Long.MIN_VALUE && left <= 0) {
                return;
            }
            wait(Math.max(1, left == Long.MIN_VALUE ? 1 : left / 1_000_000 + 1));
        }
    }
}
