package org.pgbaton.server.serve;

import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
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

    boolean isOpen() {
        return server != null;
    }

    /** From now on it answers with what really is. */
    void show(
            Baton baton,
            Supplier<Answer.Whole> livez,
            Supplier<Answer.Whole> readyz,
            Supplier<List<ServedPart>> served) {
        WebServer listening = server;
        if (listening == null) {
            return;
        }
        new BatonMetrics(baton).bindTo(metrics);
        site.open("/livez", livez);
        site.open("/readyz", readyz);
        site.leader(name -> leader(baton, name));
        String url = listening.url() + config.prefix();
        Serving.say("Health and metrics on " + url + "/livez, /readyz and /metrics.");
        String why = config.whyNoDashboard();
        if (why == null) {
            site.mount(Dashboard.of(baton)
                    .prefix(config.prefix())
                    .payloadsForReaders(config.payloadsForReaders())
                    .served(served)
                    .build());
            Serving.say("Dashboard on " + url + "/.");
        } else {
            Serving.say(why);
        }
    }

    /** Whether this very process leads: for those who want to talk to the leader. */
    private static Answer.Whole leader(Baton baton, String name) {
        boolean leads = baton.health().leaderships().stream()
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
