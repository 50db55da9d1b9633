package org.pgbaton.testkit.publisher;

import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.testkit.TestDatabase;

/** Messages that went through a real log, as a subscription would read them. Thread-safe. */
public final class LoggedMessages implements AutoCloseable {
    /** The first attempt of a relay. */
    public static final Delivery FIRST = new Delivery("relay", "", 7, 1);

    private final Baton baton;
    private final Log log;

    /** Uses the log {@code events} of the test's database. */
    public LoggedMessages(TestDatabase database) {
        this.baton = database.baton();
        this.log = baton.log("events");
    }

    /** Appends a draft, and reads it. */
    public Message put(Draft draft) {
        return put(List.of(draft)).get(0);
    }

    /** Appends drafts, and reads them. */
    public synchronized List<Message> put(List<Draft> drafts) {
        long first = log.append(drafts).get(0).position();
        return log.read().from(first).limit(drafts.size()).list();
    }

    @Override
    public void close() {
        baton.close();
    }
}
