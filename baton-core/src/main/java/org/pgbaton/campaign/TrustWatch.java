package org.pgbaton.campaign;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Session;
import org.slf4j.Logger;

/**
 * Suspends a term, and then ends it, when its session's trust runs out: also while the thread that talks to the database hangs in a read.
 * Thread-safe.
 */
final class TrustWatch implements AutoCloseable {
    private static final Logger log = LineLogger.of(TrustWatch.class);

    private final OneThread thread = new OneThread("baton-clock", false);

    void watch(HeldTerm term, Session session) {
        Duration next = session.untilNextDoubt().plusMillis(1);
        try {
            thread.later(() -> doubt(term, session), next);
        } catch (RejectedExecutionException closed) {
            log.debug("Nobody watches {} any more", term);
        }
    }

    private void doubt(HeldTerm term, Session session) {
        if (term.isOver()) {
            return;
        }
        term.tellTrust();
        if (session.isAbandoned()) {
            term.end(
                    "no answer from the database for "
                            + session.sinceRoundTrip().toMillis() + " ms",
                    null);
            session.abort();
            return;
        }
        watch(term, session);
    }

    @Override
    public void close() {
        thread.close();
    }
}
