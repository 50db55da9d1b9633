package org.pgbaton.server.serve;

import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.micrometer.BatonMetrics;
import org.pgbaton.server.Output;
import org.pgbaton.server.capture.CaptureConfig;
import org.pgbaton.server.serve.Endpoints.Answer;
import org.pgbaton.subscription.SubscriptionHealth;

/**
 * The relays and channels of a file, what is said about them, and the pages that tell others. From {@link #start} to {@link #close}, which brings what
 * was begun to its end; the pages are there to the last.
 */
final class Serving implements AutoCloseable {
    /** A log that every schema has. */
    private static final String EVENTS = "events";

    private static final long LOOK_MILLIS = 500;
    private static final long ASK_MILLIS = 1000;

    private final BatonYaml yaml;
    private final Baton baton;
    private final RunningRelays relays = new RunningRelays();
    private final RelayReport report = new RelayReport(relays::seen, Serving::say, System::nanoTime);
    private final DatabaseCheck database;
    private final ScheduledExecutorService clock;
    private @Nullable Endpoints endpoints;
    private volatile boolean ready;

    Serving(BatonYaml yaml, Baton baton) {
        this.yaml = yaml;
        this.baton = baton;
        this.database = new DatabaseCheck(
                baton, yaml.relays().isEmpty() ? EVENTS : yaml.relays().get(0).log(), System::nanoTime);
        AtomicInteger count = new AtomicInteger();
        this.clock = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "baton-serve-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** @param port 0: no pages */
    void start(String address, int port) {
        if (port > 0) {
            Endpoints listening = Endpoints.listen(address, port, pages());
            endpoints = listening;
            InetSocketAddress at = listening.address();
            say("Health and metrics on http://" + shown(at) + "/livez, /readyz and /metrics.");
            every(ASK_MILLIS, database::ask);
        }
        relays.start(yaml, baton);
        ready = true;
        every(LOOK_MILLIS, report::look);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    private void every(long millis, Runnable task) {
        clock.scheduleWithFixedDelay(task, 0, millis, TimeUnit.MILLISECONDS);
    }

    private Map<String, Supplier<Answer>> pages() {
        PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new BatonMetrics(baton).bindTo(metrics);
        new JvmMemoryMetrics().bindTo(metrics);
        new JvmThreadMetrics().bindTo(metrics);
        new ProcessorMetrics().bindTo(metrics);
        new UptimeMetrics().bindTo(metrics);
        Map<String, Supplier<Answer>> pages = new LinkedHashMap<>();
        pages.put("/livez", this::livez);
        pages.put("/readyz", this::readyz);
        pages.put("/metrics", () -> new Answer(200, "text/plain; version=0.0.4", metrics.scrape()));
        return pages;
    }

    private Answer livez() {
        // Before the relays run nobody looks at them yet.
        boolean alive = !ready || report.isAlive();
        return new Answer(alive ? 200 : 503, "application/json", Output.jsonLine(Map.of("alive", alive)) + "\n");
    }

    /** The relays are told, and do not count: a stopped one, or a target that is away, would not get better by sending us away. */
    private Answer readyz() {
        boolean reachable = database.isReachable();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ready", ready && reachable);
        answer.put("database", reachable ? "reachable" : "unreachable");
        answer.put("relays", seen(RelayReport.What.RELAY));
        if (!yaml.feeds().isEmpty()) {
            answer.put("channels", seen(RelayReport.What.CHANNEL));
        }
        if (!yaml.captures().isEmpty()) {
            answer.put("captures", seen(RelayReport.What.CAPTURE));
        }
        return new Answer(ready && reachable ? 200 : 503, "application/json", Output.jsonLine(answer) + "\n");
    }

    private List<Map<String, @Nullable Object>> seen(RelayReport.What what) {
        return relays.seen().stream()
                .filter(each -> each.what() == what)
                .map(Serving::asMap)
                .toList();
    }

    private static Map<String, @Nullable Object> asMap(RelayReport.Seen relay) {
        SubscriptionHealth health = relay.health();
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", relay.name());
        map.put("state", health.state().name().toLowerCase(Locale.ROOT));
        map.put("healthy", health.isHealthy());
        if (relay.what() == RelayReport.What.CAPTURE) {
            map.put("reading", health.lanes() > 0);
        } else {
            map.put("lanes", health.lanes());
        }
        map.put("trouble", RelayReport.trouble(health));
        return map;
    }

    private static String shown(InetSocketAddress at) {
        String host = at.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + at.getPort();
    }

    static void say(String line) {
        Output.say("baton: " + line);
    }

    @Override
    public void close() {
        ready = false;
        clock.shutdownNow();
        relays.close();
        if (endpoints != null) {
            endpoints.close();
        }
    }

    /** What runs, in lines. */
    static List<String> lines(BatonYaml yaml) {
        Stream<String> relays = yaml.relays().stream()
                .map(relay -> "Relay '" + relay.name() + "': log '" + relay.log() + "' to " + relay.target() + ", "
                        + (relay.order().equals("total") ? "in total order" : "in order per key") + ".");
        Stream<String> channels = yaml.feeds().stream()
                .map(feed -> "Channel '" + feed.subscription() + "': log '" + feed.log() + "' to "
                        + feed.channel().target() + ".");
        Stream<String> captures = yaml.captures().stream()
                .map(capture -> "Capture '" + capture.name() + "': "
                        + (capture.tables().isEmpty()
                                ? "messages"
                                : String.join(
                                        ", ",
                                        capture.tables().stream()
                                                .map(CaptureConfig.Table::name)
                                                .toList()))
                        + " to log '" + capture.log() + "'.");
        return Stream.of(relays, captures, channels).flatMap(each -> each).toList();
    }
}
