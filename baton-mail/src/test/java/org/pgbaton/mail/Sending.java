package org.pgbaton.mail;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.testkit.TestServer;
import org.pgbaton.testkit.publisher.Outcome;

/** Messages of a real log, and what becomes of them. */
final class Sending {
    static final Delivery DELIVERY = new Delivery("alerts-ops", "", 7, 1);

    private static final Log EVENTS = TestServer.shared().newDatabase().baton().log("events");

    private Sending() {}

    static Message message(Draft draft) {
        long position = EVENTS.append(List.of(draft)).get(0).position();
        return EVENTS.read().from(position).limit(1).list().get(0);
    }

    static Message anyMessage() {
        return message(Draft.json("{\"amount\": 10}").key("account-42").type("public.alert.insert"));
    }

    static void published(CompletionStage<Void> result) throws Exception {
        Outcome.awaitPublished(result);
    }

    static HandlerException failed(CompletionStage<Void> result) throws Exception {
        return Outcome.failure(result);
    }
}
