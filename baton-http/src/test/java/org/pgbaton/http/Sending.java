package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
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
    static final String SECRET = "whsec_" + base64("an-old-secret-of-32-characters!!");
    static final String NEW_SECRET = "whsec_" + base64("the-new-secret-of-32-characters!");

    private static final Log OUTBOX = TestServer.shared().newDatabase().baton().log("events");

    private Sending() {}

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** As a subscription would read it. */
    static Message message(Draft draft) {
        return messages(List.of(draft)).get(0);
    }

    static List<Message> messages(List<Draft> drafts) {
        long first = OUTBOX.append(drafts).get(0).position();
        List<Message> messages = OUTBOX.read().from(first).limit(drafts.size()).list();
        assertThat(messages)
                .extracting(Message::id)
                .isEqualTo(drafts.stream().map(Draft::id).toList());
        return messages;
    }

    static Message anyMessage() {
        return message(Draft.json("{\"amount\": 10}").key("account-42").topic("payments"));
    }

    static CompletionStage<Void> publish(WebhookPublisher publisher, Message message) {
        return publisher.publish(message, new Delivery("hooks", "", 7, 1));
    }

    static void published(CompletionStage<Void> result) throws Exception {
        Outcome.awaitPublished(result);
    }

    static HandlerException failed(CompletionStage<Void> result) throws Exception {
        return Outcome.failure(result);
    }

    static HandlerException failureOf(WebhookPublisher publisher) throws Exception {
        return failed(publish(publisher, anyMessage()));
    }
}
