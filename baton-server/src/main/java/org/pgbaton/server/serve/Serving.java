package org.pgbaton.server.serve;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.server.command.Output;

/**
 * Runs the relays, channels and captures of a file, from {@link #start} to {@link #close}. Says lines about their health, and shows it on
 * the port. Closing finishes the work in progress.
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
    private final ServePort port;
    private volatile boolean ready;

    /** @param port which the caller closes */
    Serving(BatonYaml yaml, Baton baton, ServePort port) {
        this.yaml = yaml;
        this.baton = baton;
        this.port = port;
        this.database = new DatabaseCheck(
                baton, yaml.relays().isEmpty() ? EVENTS : yaml.relays().get(0).log(), System::nanoTime);
        AtomicInteger count = new AtomicInteger();
        this.clock = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "baton-serve-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** @param wait for a database that goes away meanwhile */
    void start(DatabaseWait wait) throws InterruptedException {
        if (port.isOpen()) {
            port.show(baton, this::livez, this::readyz, this::served);
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

    private Answer.Whole livez() {
        // Before the workload runs, nobody looks at it.
        boolean alive = !ready || report.isAlive();
        return ServePort.json(alive ? 200 : 503, Map.of("alive", alive));
    }

    /** The health of relays, channels and captures is shown, but does not decide: restarting this process would not bring back a target. */
    private Answer.Whole readyz() {
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
        return ServePort.json(ready && reachable ? 200 : 503, answer);
    }

    private List<Map<String, @Nullable Object>> health(ServedHealth.Type type) {
        return workload.health().stream()
                .filter(each -> each.type() == type)
                .map(ServedHealth::asMap)
                .toList();
    }

    /** For the dashboard. */
    private List<ServedPart> served() {
        return workload.health().stream()
                .map(each -> new ServedPart(
                        each.type().name().toLowerCase(Locale.ROOT),
                        each.name(),
                        each.type() == ServedHealth.Type.CAPTURE ? null : subscription(each),
                        target(each),
                        each.state(),
                        each.isHealthy(),
                        each.trouble()))
                .toList();
    }

    private String subscription(ServedHealth each) {
        return yaml.relays().stream()
                .filter(relay ->
                        each.type() == ServedHealth.Type.RELAY && relay.name().equals(each.name()))
                .map(RelayConfig::subscription)
                .findFirst()
                .orElse(each.name());
    }

    private @Nullable String target(ServedHealth each) {
        return switch (each.type()) {
            case CAPTURE -> null;
            case RELAY ->
                yaml.relays().stream()
                        .filter(relay -> relay.name().equals(each.name()))
                        .map(relay -> relay.target().toString())
                        .findFirst()
                        .orElse(null);
            case CHANNEL ->
                yaml.channelSubscriptions().stream()
                        .filter(channel -> channel.subscription().equals(each.name()))
                        .map(channel -> channel.channel().target())
                        .findFirst()
                        .orElse(null);
        };
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
    }
}
