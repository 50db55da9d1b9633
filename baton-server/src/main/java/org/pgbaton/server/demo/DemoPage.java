package org.pgbaton.server.demo;

import org.pgbaton.Baton;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.dashboard.http.Stage;
import org.pgbaton.server.http.Access;
import org.pgbaton.server.http.ListenException;
import org.pgbaton.server.http.Site;
import org.pgbaton.server.http.WebServer;

/** The dashboard of the demo, on loopback, where everybody may act. */
final class DemoPage implements AutoCloseable {
    private static final String HERE = "127.0.0.1";

    /** Easy to remember; another one if it is taken. */
    private static final int USUAL = 8088;

    private final WebServer server;

    private DemoPage(WebServer server) {
        this.server = server;
    }

    /** @param port 0 for the usual one, or any that is free */
    static DemoPage show(Baton baton, Stage stage, int port) {
        Site site = new Site("", Access.anonymous(Role.OPERATOR));
        site.mount(Dashboard.of(baton).stage(stage).build());
        if (port > 0) {
            return new DemoPage(WebServer.listen(HERE, port, site));
        }
        try {
            return new DemoPage(WebServer.listen(HERE, USUAL, site));
        } catch (ListenException taken) {
            return new DemoPage(WebServer.listen(HERE, 0, site));
        }
    }

    String url() {
        return server.url() + "/";
    }

    @Override
    public void close() {
        server.close();
    }
}
