package org.pgbaton.server.process;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.micrometer.BatonMetrics;
import org.pgbaton.server.command.Output;
import org.pgbaton.server.http.HttpConfig;
import org.pgbaton.server.http.Site;
import org.pgbaton.server.http.WebServer;
import org.pgbaton.server.serve.Serving;

/**
 * The port of {@code serve}. It answers from the first moment: while the database is awaited, the process is alive but not ready. Health and metrics
 * are for everybody who can connect, the dashboard for those who may see it.
 */
final class ServePort implements AutoCloseable {
    private final HttpConfig config;
    private final Site site;
    private final @Nullable WebServer server;
    private final PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private ServePort(HttpConfig config, int port) {
        this.config = config;
        this.site = new Site(config.prefix(), config.access());
        site.open("/livez", () -> json(200, Map.of("alive", true)));
        site.open("/readyz", () -> json(503, Map.of("ready", false, "database", "awaited")));
        site.open("/metrics", () -> Answer.text(200, "text/plain; version=0.0.4", metrics.scrape()));
        String why = config.whyNoDashboard();
        if (why != null) {
            site.withoutDashboard(why);
        }
        this.server = port == 0 ? null : WebServer.listen(config.address(), port, site);
        if (server != null) {
            new JvmMemoryMetrics().bindTo(metrics);
            new JvmThreadMetrics().bindTo(metrics);
            new ProcessorMetrics().bindTo(metrics);
            new UptimeMetrics().bindTo(metrics);
        }
    }

    /**
     * @param port 0: nothing is served
     * @throws org.pgbaton.server.http.ListenException if the address is unknown or in use
     */
    static ServePort listen(HttpConfig config, int port) {
        return new ServePort(config, port);
    }

    /** Where it listens; null if it does not. */
    @Nullable
    String url() {
        return server == null ? null : server.url() + config.prefix();
    }

    /** A page that everybody may read. */
    void open(String path, Supplier<Answer.Whole> page) {
        site.open(path, page);
    }

    /** Answers {@code /leader/NAME}. */
    void leader(Function<String, Answer.Whole> page) {
        site.leader(page);
    }

    /** At the root, where there are several dashboards: the names of the databases, and how each is. */
    void list(Supplier<Map<String, String>> databases) {
        site.list(databases);
    }

    /** A meter of each of several databases: whether it is served. */
    void meter(String database, BooleanSupplier isServed) {
        Gauge.builder("baton.database.served", () -> isServed.getAsBoolean() ? 1 : 0)
                .description("1 while this process serves the database and the database answers")
                .tags("database", database)
                .register(metrics);
    }

    /**
     * Shows a Baton from now on: metrics and dashboard.
     *
     * @param database the name of the database, if there are several; else empty
     */
    void show(Baton baton, String database, Supplier<List<ServedPart>> served) {
        String url = url();
        if (url == null) {
            return;
        }
        new BatonMetrics(baton, database.isEmpty() ? Tags.empty() : Tags.of("database", database)).bindTo(metrics);
        if (config.whyNoDashboard() == null) {
            String path = database.isEmpty() ? "" : Site.DATABASES + database;
            site.mount(
                    path,
                    Dashboard.of(baton)
                            .prefix(config.prefix() + path)
                            .payloadsForReaders(config.payloadsForReaders())
                            .served(served)
                            .build());
        }
    }

    void tellAddresses() {
        String url = url();
        if (url != null) {
            String why = config.whyNoDashboard();
            Serving.say("Health and metrics on " + url + "/livez, /readyz and /metrics.");
            Serving.say(why == null ? "Dashboard on " + url + "/." : why);
        }
    }

    /** Whether this very process leads: for those who want to talk to the leader. */
    static Answer.Whole leader(@Nullable Baton baton, String name) {
        boolean leads = baton != null
                && baton.health().leaderships().stream()
                        .filter(each -> each.leadership().equals(name))
                        .map(LeadershipHealth::state)
                        .anyMatch(state -> state == LeadershipState.LEADING);
        return json(leads ? 200 : 503, Map.of("leads", leads));
    }

    static Answer.Whole json(int status, Object value) {
        return Answer.text(status, "application/json", Output.jsonLine(value) + "\n");
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
