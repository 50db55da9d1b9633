package org.pgbaton.mail;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.testkit.TestServer;

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
        result.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    static HandlerException failed(CompletionStage<Void> result) throws Exception {
        try {
            result.toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof HandlerException theirs) {
                return theirs;
            }
            throw failure;
        }
        throw new AssertionError("It was published.");
    }
}
