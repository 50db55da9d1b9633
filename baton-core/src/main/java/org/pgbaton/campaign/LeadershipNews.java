package org.pgbaton.campaign;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.pgbaton.leadership.LeadershipChange;
import org.pgbaton.leadership.LeadershipListener;
import org.pgbaton.session.LineLogger;
import org.slf4j.Logger;

/** Tells listeners every change, one after the other, on a thread of its own. Thread-safe. */
final class LeadershipNews implements AutoCloseable {
    private static final Logger log = LineLogger.of(LeadershipNews.class);

    private final List<LeadershipListener> listeners = new CopyOnWriteArrayList<>();
    private final OneThread thread = new OneThread("baton-listeners", true);

    void add(LeadershipListener listener) {
        listeners.add(listener);
    }

    void tell(LeadershipChange change) {
        try {
            thread.execute(() -> listeners.forEach(listener -> tell(listener, change)));
        } catch (RejectedExecutionException closed) {
            log.debug("Nobody is told any more: {}", change);
        }
    }

    private static void tell(LeadershipListener listener, LeadershipChange change) {
        try {
            listener.changed(change);
        } catch (RuntimeException | Error theirs) {
            log.warn("A listener failed on {}", change, theirs);
        }
    }

    /** Tells what is left to tell, and blocks until that is done, or takes too long. */
    @Override
    public void close() {
        thread.close();
    }
}
