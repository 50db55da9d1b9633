package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

@Timeout(60)
class ClosingTest {
    private static MockWebServer server(Answer answer) throws Exception {
        MockWebServer server = new MockWebServer();
        server.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
                return new MockResponse.Builder().code(answer.to(request)).build();
            }
        });
        server.start();
        return server;
    }

    private interface Answer {
        int to(RecordedRequest request) throws InterruptedException;
    }

    private static WebhookPublisher publisher(MockWebServer server) {
        return WebhookPublisher.to(server.url("/").uri()).allowPrivate(true).build();
    }

    private static List<Message> messages(int count) {
        return Sending.messages(IntStream.range(0, count)
                .mapToObj(i -> Draft.json("{\"n\": " + i + "}").key("key-" + i % 20))
                .toList());
    }

    @Test
    void manyAreUnderWayAtOnce() throws Exception {
        int many = 200;
        CountDownLatch allThere = new CountDownLatch(many);
        try (MockWebServer server = server(request -> {
                    allThere.countDown();
                    return allThere.await(10, TimeUnit.SECONDS) ? 200 : 500;
                });
                WebhookPublisher publisher = publisher(server)) {
            List<CompletionStage<Void>> results = new ArrayList<>();
            for (Message message : messages(many)) {
                results.add(Sending.publish(publisher, message));
            }
            for (CompletionStage<Void> result : results) {
                Sending.published(result);
            }
        }
    }

    @Test
    void whatIsUnderWayGetsItsTime() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (MockWebServer server = server(request -> {
            arrived.countDown();
            go.await();
            return 200;
        })) {
            WebhookPublisher publisher = publisher(server);
            CompletionStage<Void> result = Sending.publish(publisher, Sending.anyMessage());
            arrived.await();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(publisher::close);
            await().untilAsserted(() ->
                    assertThat(Sending.failureOf(publisher).verdict()).isEqualTo(Verdict.OUTAGE));
            assertThat(closing).isNotDone();

            go.countDown();
            closing.get(20, TimeUnit.SECONDS);
            assertThat(result.toCompletableFuture()).isCompleted();
        }
    }

    @Test
    void whatTakesTooLongIsCutOff() throws Exception {
        try (RawServer server = new RawServer(RawServer.Connection::holdStill)) {
            WebhookPublisher publisher = WebhookPublisher.to(server.url())
                    .allowPrivate(true)
                    .timeout(Duration.ofMinutes(5))
                    .build();
            CompletionStage<Void> result = Sending.publish(publisher, Sending.anyMessage());
            await().until(() -> server.connections() == 1);
            long start = System.nanoTime();
            publisher.close();

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            assertThat(result.toCompletableFuture()).isCompletedExceptionally();
            HandlerException failure = Sending.failed(result);
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("closed");
            await().untilAsserted(() -> assertThat(server.ended).hasValue(1));
        }
    }

    @Test
    void closingTwiceIsClosingAndNothingIsSentAfterwards() throws Exception {
        try (MockWebServer server = server(request -> 200)) {
            WebhookPublisher publisher = publisher(server);
            publisher.close();
            publisher.close();

            HandlerException failure = Sending.failureOf(publisher);
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("closed");
            assertThat(server.getRequestCount()).isZero();
        }
    }

    @Test
    void closedUnderLoadEveryMessageEndsAndNoneIsClaimedThatDidNotArrive() throws Exception {
        Set<String> taken = ConcurrentHashMap.newKeySet();
        Map<String, List<Long>> order = new ConcurrentHashMap<>();
        try (MockWebServer server = server(request -> {
            Thread.sleep(ThreadLocalRandom.current().nextInt(5));
            taken.add(request.getHeaders().get("webhook-id"));
            order.computeIfAbsent(request.getHeaders().get("baton-key"), key -> new CopyOnWriteArrayList<>())
                    .add(Long.parseLong(request.getHeaders().get("baton-position")));
            return 200;
        })) {
            WebhookPublisher publisher = publisher(server);
            Map<String, CompletableFuture<Void>> lastOfKey = new HashMap<>();
            List<CompletableFuture<String>> ends = new ArrayList<>();
            for (Message message : messages(2000)) {
                // As a relay does: the next message of a key when the one before is published.
                CompletableFuture<Void> before =
                        lastOfKey.getOrDefault(message.key(), CompletableFuture.completedFuture(null));
                CompletableFuture<Void> sent = before.thenCompose(nothing -> Sending.publish(publisher, message));
                lastOfKey.put(message.key(), sent);
                ends.add(sent.handle(
                        (done, failure) -> failure == null ? message.id().toString() : ""));
            }
            await().until(() -> taken.size() > 100);
            publisher.close();

            List<String> published = new ArrayList<>();
            for (CompletableFuture<String> end : ends) {
                published.add(end.get(20, TimeUnit.SECONDS));
            }
            published.removeIf(String::isEmpty);
            int atClose = server.getRequestCount();
            assertThat(published).hasSizeBetween(100, 1999);
            assertThat(taken).containsAll(published);
            order.values().forEach(positions -> assertThat(positions).isSorted().doesNotHaveDuplicates());
            assertThat(server.getRequestCount()).isEqualTo(atClose);
        }
    }
}
