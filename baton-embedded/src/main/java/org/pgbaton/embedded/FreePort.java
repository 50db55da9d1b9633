package org.pgbaton.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a TCP port of the loopback address that nobody listens on at this moment.
 *
 * <p>It lies below the range from which systems take the ports of outgoing connections. From that range, a client that
 * keeps trying to reach a stopped server on loopback would sooner or later get the server's own port, connect to
 * itself, and keep the server from coming back.
 */
final class FreePort {

    private static final int LOWEST = 20_000;

    private static final int HIGHEST = 32_767;

    private FreePort() {}

    /** A free port. Another process may take it at any time. */
    static int find() {
        for (int attempt = 0; attempt < 100; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST + 1);
            if (isFree(port)) {
                return port;
            }
        }
        try (ServerSocket any = new ServerSocket(0, 1, loopback())) {
            return any.getLocalPort();
        } catch (IOException e) {
            throw new EmbeddedPostgresException("No TCP port of the loopback address is free (" + e + ").", e);
        }
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(loopback(), port), 1);
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    static InetAddress loopback() throws IOException {
        // Not getLoopbackAddress(), which may be ::1.
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }
}
