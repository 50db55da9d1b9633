package org.pgbaton.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.Request;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.dashboard.http.Viewer;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A network that swallows everything: the dashboard says so soon, and shows soon when it is over. */
@BatonTest
class DashboardPartitionTest {
    /** Asks the database each time, unlike pages, which are made once for each look. */
    private static final String ACTIONS = "/api/v1/actions";

    @Test
    void aSilentNetworkIsNoticedAndItsEndToo(TestDatabase database) throws Exception {
        database.baton("setup").close();
        String direct = database.url();
        URI address = URI.create(direct.replaceFirst("^jdbc:", ""));
        try (Swallower network = new Swallower(address.getHost(), address.getPort());
                Baton baton = Baton.builder(direct.replace(
                                address.getHost() + ":" + address.getPort(), "127.0.0.1:" + network.port()))
                        .migrate(false)
                        .open()) {
            Dashboard dashboard = Dashboard.of(baton).build();
            assertThat(status(dashboard, ACTIONS)).isEqualTo(200);

            network.silent = true;
            long begin = System.nanoTime();
            assertThat(status(dashboard, ACTIONS)).isEqualTo(503);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(40));

            network.silent = false;
            await().atMost(Duration.ofSeconds(40)).until(() -> status(dashboard, ACTIONS) == 200);
        }
    }

    private static int status(Dashboard dashboard, String path) throws InterruptedException {
        Answer answer = dashboard.answer(
                new Request("GET", path, Map.of(), Map.of(), Map.of(), new Viewer("rita", Role.READER, false)));
        return ((Answer.Whole) answer).status();
    }

    /** Passes everything on, or nothing. What it has swallowed never arrives. */
    private static final class Swallower implements AutoCloseable {
        private final String host;
        private final int port;
        private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private volatile boolean silent;

        Swallower(String host, int port) throws IOException {
            this.host = host;
            this.port = port;
            run(this::accept);
        }

        int port() {
            return entrance.getLocalPort();
        }

        private void accept() throws IOException {
            while (true) {
                Socket client = entrance.accept();
                Socket server = new Socket(host, port);
                run(() -> pass(client, server));
                run(() -> pass(server, client));
            }
        }

        private void pass(Socket from, Socket to) throws IOException {
            byte[] buffer = new byte[65536];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    if (!silent) {
                        out.write(buffer, 0, read);
                    }
                }
            }
        }

        private interface Task {
            void run() throws IOException;
        }

        private static void run(Task task) {
            Thread thread = new Thread(() -> {
                try {
                    task.run();
                } catch (IOException ended) {
                    // One side hung up, or the test is over.
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() throws IOException {
            entrance.close();
        }
    }
}
