package org.pgbaton.handling;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Publisher;

/**
 * Publishes several {@linkplain PublishingLine lines} at once. After a failure that concerns the whole target nothing more is begun; while
 * the target may still be away, it begins with a single message. Lines go on by themselves, on the publisher's threads, until they are
 * done, or the caller has waited long enough.
 *
 * <p>A message that takes long is slow if others are answered meanwhile. If nobody is, the target is away, however it shows it: then it is
 * waited for, up to the handler's limit, and no key is set aside. Once it answers again, everybody gets the time of a slow key anew.
 *
 * <p>Thread-safe.
 */
public final class Publishing {
    /** If no more keys than this wait, and the target has confirmed something lately, the keys are slow and not the target. */
    private static final int FEW = 3;
    /** A few keys are waited for so many times as long as a slow key, if nothing else is known of the target. */
    private static final int FEW_WAIT = 5;
    /** In milliseconds. Answers to other batches do not wake us, so they are looked at this often. */
    private static final long LOOK_EVERY = 100;

    private final SubscriptionOptions options;
    private final HandlerCalls calls;
    private final TargetAnswers answers;
    private final LongSupplier nanos;
    private final Publisher publisher;
    private final List<PublishingLine> lines;
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
    public Publishing(
            SubscriptionOptions options,
            HandlerCalls calls,
            TargetAnswers answers,
            LongSupplier nanos,
            Publisher publisher,
            List<PublishingLine> lines,
            Predicate<Message> goesOn,
            boolean waitsForTheTarget) {
        this.options = options;
        this.calls = calls;
        this.answers = answers;
        this.nanos = nanos;
        this.publisher = publisher;
        this.lines = lines;
        this.goesOn = goesOn;
        this.waitsForTheTarget = waitsForTheTarget;
    }

    /** @return the lines that are not confirmed to their end: failed, slow, or not gone on with */
    public List<PublishingLine> run() throws InterruptedException {
        List<PublishingLine> rest = lines;
        if (answers.wasAway() && !lines.isEmpty()) {
            start(lines.get(0), true);
            await();
            rest = lines.get(0).isConfirmed() ? lines.subList(1, lines.size()) : lines;
        }
        rest.forEach(line -> start(line, false));
        await();
        synchronized (this) {
            over = true;
            List<PublishingLine> unconfirmed = new ArrayList<>();
            lines.stream().filter(line -> !line.isConfirmed()).forEach(unconfirmed::add);
            return unconfirmed;
        }
    }

    private void start(PublishingLine line, boolean one) {
        synchronized (this) {
            busy++;
        }
        goOn(line, one);
    }

    /** In a loop, not by recursion: a publisher may confirm at once. */
    private void goOn(PublishingLine line, boolean one) {
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
            calls.publish(call, publisher);
            if (!call.isDone()) {
                call.whenDone(() -> confirmed(line, one));
                return;
            }
            call = one ? null : next(line);
        }
        end();
    }

    private void confirmed(PublishingLine line, boolean one) {
        if (one) {
            end();
        } else {
            goOn(line, false);
        }
    }

    private synchronized @Nullable Call next(PublishingLine line) {
        Throwable failure = line.failure();
        if (failure != null) {
            over |= isOfTheWholeTarget(failure);
        }
        if (answeredAt == null && line.last() != null && !line.isWaiting()) {
            answeredAt = nanos.getAsLong();
            notifyAll(); // the waiting thread has to compute its deadline anew
        }
        Call next = line.next();
        if (next == null || failure != null || line.isWaiting() || over || !goesOn.test(next.first())) {
            return null;
        }
        line.countAsSent(nanos.getAsLong());
        return next;
    }

    private boolean isOfTheWholeTarget(Throwable failure) {
        try {
            return options.verdictOn(failure).isOfTheWholeTarget();
        } catch (RuntimeException | Error theirs) {
            return true; // the classifier itself fails; the waiting thread calls it again, and reports that
        }
    }

    private synchronized void end() {
        busy--;
        notifyAll();
    }

    /** Until every line has ended, or those that have not wait for a message that takes too long. */
    private synchronized void await() throws InterruptedException {
        while (busy > 0) {
            long now = nanos.getAsLong();
            long left = Long.MIN_VALUE;
            int waiting = 0;
            for (PublishingLine line : lines) {
                waiting += line.isWaiting() ? 1 : 0;
            }
            for (PublishingLine line : lines) {
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
     * When a message has taken too long. Messages that were sent together are seldom answered at the same moment: after the first answer
     * the others get a little time.
     */
    private long deadline(Call call, int waiting) {
        long slow = options.slow().toNanos();
        long limit = options.limit().toNanos();
        if (options.isTotal() || isTargetAway(waiting)) {
            return call.since() + (waiting > FEW || options.isTotal() ? limit : Math.min(FEW_WAIT * slow, limit));
        }
        long patience = Math.max(call.since(), answers.silentUntil()) + slow;
        Long answered = answeredAt;
        return answered == null ? patience : Math.max(patience, answered + slow / 2);
    }

    /** Whether the target answers nobody at present, and most of the messages that were sent here wait. */
    boolean isTargetAway(int waiting) {
        return waitsForTheTarget
                && answers.isSilent()
                && waiting * 2 > lines.size()
                && (waiting > FEW || !answers.hasConfirmedLately());
    }

    /** Whether the messages that are left wait because the target answers nobody. */
    public synchronized boolean endedInSilence() {
        return isTargetAway(
                (int) lines.stream().filter(PublishingLine::isWaiting).count());
    }
}
