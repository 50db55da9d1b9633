package org.pgbaton.http;

import java.io.IOException;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Dispatcher;
import okhttp3.Dns;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.publishing.DaemonThreads;
import org.pgbaton.publishing.LocalRefusals;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;

/**
 * Publishes messages to a webhook: each is a POST with the message's bytes, unchanged, and the headers and signature of Standard
 * Webhooks.
 *
 * <pre>{@code
 * WebhookPublisher hook = WebhookPublisher.to(URI.create("https://example.com/hook"))
 *         .secret(System.getenv("HOOK_SECRET"))
 *         .build();
 * Subscription relay = baton.subscription("hooks").on("outbox").publish(hook).start();
 * }</pre>
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>A message is published when the endpoint has answered 2xx. Every other answer is one of the four verdicts; docs/webhooks.md has
 *       the table.
 *   <li>A request goes only to an address that was checked: the name is resolved once for each connection, all its addresses are
 *       checked, and one of them is connected to; certificate and Host header are those of the name. Redirects are not followed, proxies
 *       not used.
 *   <li>Each request ends within the time limit, whatever the endpoint does. At most 256 are under way at once; others wait for one of
 *       them to end.
 *   <li>Secrets, header values and the query of the URL are shown nowhere. The URL's path is.
 * </ul>
 *
 * <p>Thread-safe. Completions run on this publisher's threads.
 */
public final class WebhookPublisher implements Publisher {
    private static final int MOST_AT_ONCE = 256;
    private static final Duration SHORTEST_PING = Duration.ofMillis(100);
    private static final Duration PATIENCE_AT_CLOSE = Duration.ofSeconds(5);

    private final Endpoint endpoint;
    private final RequestHeaders headers;
    private final WebhookVerdicts verdicts;
    private final LocalRefusals local;
    private final Duration limit;
    private final int maxPayload;
    private final ExecutorService executor;
    private final OkHttpClient client;
    private final SilentEndpoint silence;
    private volatile boolean closed;

    private WebhookPublisher(Builder options) {
        this.endpoint = Endpoint.of(options.url, options.allowPrivate, options.secretPath);
        this.headers = new RequestHeaders(
                options.headers, new Signature(options.secrets), options.ownHeaders, options.cloudEvents);
        this.verdicts = new WebhookVerdicts(
                endpoint,
                WebhookSecrets.redaction(
                        endpoint.url(), options.secretPath, options.headers.values(), options.secrets));
        this.local = new LocalRefusals(endpoint.toString());
        this.limit = options.timeout;
        this.maxPayload = options.maxPayload;
        this.executor = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                10,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                new DaemonThreads("baton-webhook"));
        this.client = client(options);
        this.silence = new SilentEndpoint(
                () -> client.dispatcher().runningCallsCount() > 1,
                () -> client.connectionPool().evictAll());
    }

    private OkHttpClient client(Builder options) {
        Dispatcher dispatcher = new Dispatcher(executor);
        dispatcher.setMaxRequests(MOST_AT_ONCE);
        dispatcher.setMaxRequestsPerHost(MOST_AT_ONCE);
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .dispatcher(dispatcher)
                .dns(new CheckedDns(options.resolver, endpoint, limit, executor))
                .proxy(Proxy.NO_PROXY)
                .followRedirects(false)
                .followSslRedirects(false)
                // Shorter than the time after which firewalls forget a silent connection.
                .connectionPool(new ConnectionPool(MOST_AT_ONCE, 30, TimeUnit.SECONDS))
                .addInterceptor(WebhookPublisher::understood)
                // The client would retry by itself at a 0, and fail at a number that is too large for it. The event
                // listener has read the header before.
                .addNetworkInterceptor(chain -> chain.proceed(chain.request())
                        .newBuilder()
                        .removeHeader("Retry-After")
                        .build())
                // One limit for the whole call. A dead connection that many requests share over HTTP/2 is found within
                // that time.
                .callTimeout(limit)
                .connectTimeout(limit)
                .readTimeout(Duration.ZERO)
                .writeTimeout(Duration.ZERO)
                .pingInterval(limit.compareTo(SHORTEST_PING.multipliedBy(3)) < 0 ? SHORTEST_PING : limit.dividedBy(3))
                .eventListenerFactory(WebhookPublisher::pending);
        options.tuning.accept(builder);
        return builder.build();
    }

    /** At some answers, such as a status below 0, the client fails in a way that would end its thread. */
    private static Response understood(Interceptor.Chain chain) throws IOException {
        try {
            return chain.proceed(chain.request());
        } catch (RuntimeException malformed) {
            throw new ProtocolException("the answer makes no sense");
        }
    }

    /**
     * Begins to describe a publisher.
     *
     * @param url http or https; put secrets into a {@link Builder#header}, not into the path
     */
    public static Builder to(URI url) {
        return new Builder(url);
    }

    /** {@code webhook https://example.com/hook}: without the query. */
    @Override
    public String target() {
        return endpoint.toString();
    }

    @Override
    public CompletionStage<Void> publish(Message message, Delivery delivery) {
        if (closed) {
            return CompletableFuture.failedStage(local.closed());
        }
        byte[] body = message.payload();
        if (body.length > maxPayload) {
            return CompletableFuture.failedStage(local.tooLarge(body.length, maxPayload, "bytes", "maxPayload"));
        }
        WebhookRequest pending = new WebhookRequest(message.id(), verdicts, limit, silence);
        Request request;
        try {
            request = new Request.Builder()
                    .url(endpoint.url())
                    .headers(headers.of(message, delivery, Instant.now()))
                    .post(RequestBody.create(body, null))
                    .tag(WebhookRequest.class, pending)
                    .build();
        } catch (HandlerException refused) {
            return CompletableFuture.failedStage(refused);
        }
        client.newCall(request).enqueue(pending);
        return pending.result();
    }

    private static WebhookRequest pending(Call call) {
        WebhookRequest pending = call.request().tag(WebhookRequest.class);
        if (pending == null) {
            throw new IllegalStateException("A request that nobody asked for.");
        }
        return pending;
    }

    /** Requests that are under way get 5 s; then they are cut off, and end as an outage. */
    @Override
    public void close() {
        closed = true;
        List<WebhookRequest> underWay = underWay();
        try {
            CompletableFuture.allOf(underWay.stream().map(WebhookRequest::ended).toArray(CompletableFuture<?>[]::new))
                    .get(PATIENCE_AT_CLOSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException late) {
            // Cut off below.
        }
        executor.shutdown();
        underWay().forEach(pending -> pending.fail(local.closed()));
        client.dispatcher().cancelAll();
        client.connectionPool().evictAll();
    }

    private List<WebhookRequest> underWay() {
        Dispatcher dispatcher = client.dispatcher();
        return Stream.concat(dispatcher.queuedCalls().stream(), dispatcher.runningCalls().stream())
                .map(WebhookPublisher::pending)
                .toList();
    }

    @Override
    public String toString() {
        return target();
    }

    /** How to publish. Not thread-safe. */
    public static final class Builder {
        private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);

        private final URI url;
        private final List<String> secrets = new ArrayList<>();
        private final Map<String, String> headers = new LinkedHashMap<>();
        private boolean allowPrivate;
        private Duration timeout = Duration.ofSeconds(15);
        private int maxPayload = 1_000_000;
        private boolean secretPath;
        private boolean ownHeaders = true;
        private @Nullable CloudEventAttributes cloudEvents;
        private Dns resolver = Dns.SYSTEM;
        private Consumer<OkHttpClient.Builder> tuning = client -> {};

        private Builder(URI url) {
            this.url = url;
        }

        /**
         * Signs with this secret: {@code whsec_} and 24 to 64 bytes in base64. Given several times, each signs, so that a receiver can
         * change from one to the other. Without one nothing is signed.
         */
        public Builder secret(String secret) {
            secrets.add(secret);
            return this;
        }

        /**
         * Whether it may be sent to loopback and private addresses, and to those, and only those, over plain http (default false). Link-local
         * addresses, with the metadata services of clouds, multicast and reserved ones stay refused.
         */
        public Builder allowPrivate(boolean allowed) {
            this.allowPrivate = allowed;
            return this;
        }

        /** How long a request may take from the look-up of the name to the answer (default 15 s). */
        public Builder timeout(Duration longest) {
            this.timeout = longest;
            return this;
        }

        /** Sends this header with every request, for instance {@code Authorization}. The value is shown nowhere. */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /** A message with more bytes is parked (default 1,000,000). */
        public Builder maxPayload(int bytes) {
            this.maxPayload = bytes;
            return this;
        }

        /**
         * Makes every request a CloudEvent in binary mode: headers {@code ce-id}, {@code ce-source}, {@code ce-type} and so on, beside the others. Default: no.
         *
         * @param source where messages come from, a URI or a part of one: {@code /shop/orders}
         */
        public Builder cloudEvents(String source) {
            this.cloudEvents = CloudEventAttributes.of("ce-", source);
            return this;
        }

        /**
         * For Slack: everybody who knows the path can write to the channel, so the path is a secret. Slack does not use
         * Baton's headers.
         */
        Builder secretPath() {
            this.secretPath = true;
            this.ownHeaders = false;
            return this;
        }

        Builder resolver(Dns names) {
            this.resolver = names;
            return this;
        }

        Builder tuning(Consumer<OkHttpClient.Builder> client) {
            this.tuning = client;
            return this;
        }

        /**
         * Makes the publisher, which connects to nothing yet.
         *
         * @throws IllegalArgumentException if something makes no sense, or nothing may be sent to that URL
         */
        public WebhookPublisher build() {
            if (timeout.toMillis() < 1 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
                throw new IllegalArgumentException(
                        "A timeout of " + timeout + " makes no sense: give 1 ms to 10 min (default 15 s).");
            }
            if (maxPayload < 1) {
                throw new IllegalArgumentException(
                        "A maxPayload of " + maxPayload + " bytes makes no sense: give 1 or more (default 1000000).");
            }
            return new WebhookPublisher(this);
        }
    }
}
