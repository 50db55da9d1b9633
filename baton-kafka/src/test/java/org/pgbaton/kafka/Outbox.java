package org.pgbaton.kafka;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.testkit.TestServer;
import org.pgbaton.testkit.publisher.Outcome;

/** Messages of a real log, what becomes of them, and what arrived. */
final class Outbox {
    static final Delivery FIRST = new Delivery("relay", "", 7, 1);

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Log LOG = TestServer.shared().newDatabase().baton().log("events");

    private Outbox() {}

    /** As a subscription would read it. */
    static Message put(Draft draft) {
        return put(List.of(draft)).get(0);
    }

    static synchronized List<Message> put(List<Draft> drafts) {
        long first = LOG.append(drafts).get(0).position();
        return LOG.read().from(first).limit(drafts.size()).list();
    }

    static Message put(String topic, String key, String text) {
        return put(Draft.json("\"" + text + "\"").topic(topic).key(key));
    }

    static void published(CompletionStage<?> result) throws Exception {
        result.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    static boolean isPublished(CompletionStage<?> result) throws Exception {
        try {
            published(result);
            return true;
        } catch (ExecutionException notYet) {
            return false;
        }
    }

    static HandlerException failed(CompletionStage<?> result) throws Exception {
        return Outcome.failure(result, PATIENCE);
    }

    static String value(ConsumerRecord<byte[], byte[]> arrived) {
        return Records.text(arrived.value());
    }

    static String id(ConsumerRecord<byte[], byte[]> arrived) {
        return header(arrived, "baton-id");
    }

    static @Nullable String key(ConsumerRecord<byte[], byte[]> arrived) {
        return arrived.key() == null ? null : Records.text(arrived.key());
    }

    static String header(ConsumerRecord<byte[], byte[]> arrived, String name) {
        Header header = arrived.headers().lastHeader(name);
        if (header == null) {
            throw new AssertionError("There is no header " + name);
        }
        return Records.text(header.value());
    }
}
