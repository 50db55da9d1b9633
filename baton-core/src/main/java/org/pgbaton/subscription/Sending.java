package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * Publishes several {@linkplain Line lines} at once. After a failure that concerns the whole target nothing more is begun; while the
 * target may still be away, it begins with a single message. Lines go on by themselves, on the publisher's threads, until they are done,
 * or whoever waits has had enough.
 *
 * <p>A message that takes long is slow if others are answered meanwhile. If nobody is, the target is away, however it shows it: then it is
 * waited for, up to the handler's limit, and no key is set aside. Once it answers again, everybody gets the time of a slow key anew.
 *
 * <p>Thread-safe.
 */
final class Sending {
    /** So few keys that wait say nothing about a target that has confirmed something lately. */
    private static final int FEW = 3;
    /** So many times as long as for a slow key is waited for so few, if nothing else is known of the target. */
    private static final int FEW_WAIT = 5;
    /** Whether the others are answered is known elsewhere; in milliseconds. */
    private static final long LOOK_EVERY = 100;

    private final Workshop shop;
    private final Publisher publisher;
    private final List<Line> lines;
    private final Predicate<Message> goesOn;
    private final boolean waitsForTheTarget;

    // Guarded by this.
    private int busy;
    private boolean over;
    private @Nullable Long answeredAt;

    /**
     * @param goesOn asked before each message
     * @param waitsForTheTarget whether a target that answers nobody is waited for
     */
    Sending(
            Workshop shop,
            Publisher publisher,
            List<Line> lines,
            Predicate<Message> goesOn,
            boolean waitsForTheTarget) {
        this.shop = shop;
        this.publisher = publisher;
        this.lines = lines;
        this.goesOn = goesOn;
        this.waitsForTheTarget = waitsForTheTarget;
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
        Call before;
        synchronized (this) {
            before = line.blocking();
        }
        if (before != null) {
            before.whenDone(() -> confirmed(line, one));
            return;
        }
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
            int waiting = 0;
            for (Line line : lines) {
                waiting += line.isWaiting() ? 1 : 0;
            }
            for (Line line : lines) {
                Call last = line.last();
                if (last != null && line.isWaiting()) {
                    left = Math.max(left, deadline(last, waiting) - now);
                }
            }
            if (left != Long.MIN_VALUE && left <= 0) {
                return;
            }
            wait(Math.max(1, left == Long.MIN_VALUE ? 1 : Math.min(LOOK_EVERY, left / 1_000_000 + 1)));
        }
    }

    /**
     * When a message has taken too long. What was sent together is seldom answered at once: after the first answer the others get a little
     * time.
     */
    private long deadline(Call call, int waiting) {
        long slow = shop.options.slow().toNanos();
        long limit = shop.options.limit().toNanos();
        if (shop.options.isTotal() || isTargetAway(waiting)) {
            return call.since() + (waiting > FEW || shop.options.isTotal() ? limit : Math.min(FEW_WAIT * slow, limit));
        }
        long patience = Math.max(call.since(), shop.silentUntil()) + slow;
        Long answered = answeredAt;
        return answered == null ? patience : Math.max(patience, answered + slow / 2);
    }

    /** Nobody is answered at present, here or elsewhere, and most of what was sent here waits. */
    boolean isTargetAway(int waiting) {
        return waitsForTheTarget
                && shop.isSilent()
                && waiting * 2 > lines.size()
                && (waiting > FEW || !shop.hasConfirmedLately());
    }

    /** Whether those who still wait are waited for in vain because nobody is answered. */
    synchronized boolean endedInSilence() {
        return isTargetAway((int) lines.stream().filter(Line::isWaiting).count());
    }
}
