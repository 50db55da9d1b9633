package org.pgbaton.rabbitmq;

import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.testkit.TestDatabase;

/** Messages that went through a real log. */
final class Outbox implements AutoCloseable {
    static final Delivery FIRST = new Delivery("relay", "", 7, 1);

    private final Baton baton;

    Outbox(TestDatabase database) {
        this.baton = database.baton();
    }

    Message put(Draft draft) {
        return put(List.of(draft)).get(0);
    }

    List<Message> put(List<Draft> drafts) {
        List<Appended> appended = baton.log("events").append(drafts);
        return baton.log("events")
                .read()
                .after(appended.get(0).position() - 1)
                .limit(drafts.size())
                .list();
    }

    Baton baton() {
        return baton;
    }

    @Override
    public void close() {
        baton.close();
    }
}
