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
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.micrometer.BatonMetrics;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.serve.HttpPages.Answer;

/**
 * Runs the relays, channels and captures of a file, from {@link #start} to {@link #close}. Says lines about their health, and serves pages
 * for health and metrics. Closing finishes the work in progress; the pages are served until then.
 */
final class Serving implements AutoCloseable {
    /** The log to ask for if there is no relay: every schema has it. */
    private static final String EVENTS = "events";

    private static final long LOOK_MILLIS = 500;
    private static final long ASK_MILLIS = 1000;

    private volatile BatonYaml yaml;
    private final Baton baton;
    private final Workload workload = new Workload();
    private final HealthReport report = new HealthReport(workload::health, Serving::tell, System::nanoTime);
    private final DatabaseCheck database;
    private final ScheduledExecutorService clock;
    private @Nullable HttpPages endpoints;
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

    /**
     * @param port 0: no pages
     * @param wait for a database that goes away meanwhile
     */
    void start(String address, int port, DatabaseWait wait) throws InterruptedException {
        if (port > 0) {
            HttpPages listening = HttpPages.listen(address, port, pages());
            endpoints = listening;
            InetSocketAddress at = listening.address();
            say("Health and metrics on http://" + shown(at) + "/livez, /readyz and /metrics.");
            every(ASK_MILLIS, database::ask);
        }
        workload.start(yaml, baton, wait);
        ready = true;
        every(LOOK_MILLIS, report::look);
    }

    BatonYaml yaml() {
        return yaml;
    }

    /** See {@link Workload#change}. */
    Workload.Change change(BatonYaml next) throws InterruptedException {
        Workload.Change change = workload.change(next, baton);
        yaml = next;
        return change;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for the result
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
        // Before the workload runs, nobody looks at it.
        boolean alive = !ready || report.isAlive();
        return new Answer(alive ? 200 : 503, "application/json", Output.jsonLine(Map.of("alive", alive)) + "\n");
    }

    /** The health of relays, channels and captures is shown, but does not decide: restarting this process would not bring back a target. */
    private Answer readyz() {
        boolean reachable = database.isReachable();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("ready", ready && reachable);
        answer.put("database", reachable ? "reachable" : "unreachable");
        answer.put("relays", health(ServedHealth.Type.RELAY));
        if (!yaml.channelSubscriptions().isEmpty()) {
            answer.put("channels", health(ServedHealth.Type.CHANNEL));
        }
        if (!yaml.captures().isEmpty()) {
            answer.put("captures", health(ServedHealth.Type.CAPTURE));
        }
        return new Answer(ready && reachable ? 200 : 503, "application/json", Output.jsonLine(answer) + "\n");
    }

    private List<Map<String, @Nullable Object>> health(ServedHealth.Type type) {
        return workload.health().stream()
                .filter(each -> each.type() == type)
                .map(ServedHealth::asMap)
                .toList();
    }

    private static String shown(InetSocketAddress at) {
        String host = at.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + at.getPort();
    }

    /** Trouble is told also to those who want to know nothing else. */
    private static void tell(boolean trouble, String line) {
        if (trouble) {
            Output.warn("baton: " + line);
        } else {
            say(line);
        }
    }

    static void say(String line) {
        Output.say("baton: " + line);
    }

    @Override
    public void close() {
        ready = false;
        clock.shutdownNow();
        workload.close();
        if (endpoints != null) {
            endpoints.close();
        }
    }
}
