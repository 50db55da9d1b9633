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
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.server.command.Output;

/**
 * Runs the relays, channels and captures of a file on one database, from {@link #start} to {@link #close}. Says lines about their health, and
 * knows it for the port. Closing finishes the work in progress.
 */
public final class Serving implements AutoCloseable {
    /** The log to ask for if there is no relay: every schema has it. */
    private static final String EVENTS = "events";

    private static final long LOOK_MILLIS = 500;
    private static final long ASK_MILLIS = 1000;

    private volatile BatonYaml yaml;
    private final Baton baton;
    private final Workload workload = new Workload();
    private final HealthReport report = new HealthReport(workload::health, this::tell, System::nanoTime);
    private final DatabaseCheck database;
    private final ScheduledExecutorService clock;
    private final String about;
    private final boolean shown;
    private volatile boolean ready;

    /**
     * @param about what its sentences begin with
     * @param shown whether somebody can ask for {@link #readiness}
     */
    public Serving(BatonYaml yaml, Baton baton, String about, boolean shown) {
        this.yaml = yaml;
        this.baton = baton;
        this.about = about;
        this.shown = shown;
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
    public void start(DatabaseWait wait) throws InterruptedException {
        if (shown) {
            every(ASK_MILLIS, database::ask);
        }
        workload.start(yaml, baton, wait);
        ready = true;
        every(LOOK_MILLIS, report::look);
    }

    /** Somebody is about to close this: a start that fails from now on was not refused. */
    public void ending() {
        workload.ending();
    }

    /** Where it runs. */
    public Baton baton() {
        return baton;
    }

    /** See {@link Workload#change}. */
    public Workload.Change change(BatonYaml next) throws InterruptedException {
        Workload.Change change = workload.change(next, baton);
        yaml = next;
        return change;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for the result
    private void every(long millis, Runnable task) {
        clock.scheduleWithFixedDelay(task, 0, millis, TimeUnit.MILLISECONDS);
    }

    /** False if it hangs. */
    public boolean isAlive() {
        return !ready || report.isAlive(); // before the workload runs, nobody looks at it
    }

    /** The health of relays, channels and captures does not decide: restarting this process would not bring back a target. */
    public boolean isReady() {
        return ready && database.isReachable();
    }

    /** For {@code /readyz}. */
    public Map<String, Object> readiness() {
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
        return answer;
    }

    private List<Map<String, @Nullable Object>> health(ServedHealth.Type type) {
        return workload.health().stream()
                .filter(each -> each.type() == type)
                .map(ServedHealth::asMap)
                .toList();
    }

    /** For the dashboard. */
    public List<ServedPart> served() {
        return workload.health().stream()
                .map(each -> new ServedPart(
                        each.type().name().toLowerCase(Locale.ROOT),
                        each.name(),
                        each.type() == ServedHealth.Type.CAPTURE ? null : subscription(each),
                        target(each),
                        each.state(),
                        each.isHealthy(),
                        each.trouble(),
                        each.isTargetAway()))
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
    private void tell(boolean trouble, String line) {
        if (trouble) {
            Output.warn("baton: " + about + line);
        } else {
            say(about + line);
        }
    }

    /** Says a line on standard error. */
    public static void say(String line) {
        Output.say("baton: " + line);
    }

    @Override
    public void close() {
        ready = false;
        clock.shutdownNow();
        workload.close();
    }
}
