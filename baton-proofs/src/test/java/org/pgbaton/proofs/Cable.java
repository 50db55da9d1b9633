package org.pgbaton.proofs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.pgbaton.embedded.PostgresServer;

/**
 * A server on this side, processes in a network namespace on the other side, and a cable between them that can be cut.
 * A proxy could not do that, because its own kernel would answer. Needs root and iproute2; without them the test is
 * skipped.
 */
public final class Cable implements AutoCloseable {
    private static final String IMPOSSIBLE =
            "this machine does not let the test make network namespaces (needs root and iproute2)";

    private final String suffix = Long.toString(ProcessHandle.current().pid() % 100_000);
    private final String namespace = "baton" + suffix;
    private final String cable = "btn" + suffix;
    /** Differs between builds that run at the same time. */
    private final String network = "10.231." + ProcessHandle.current().pid() % 250 + ".";

    private Cable() {}

    public static Cable lay() {
        Cable cable = new Cable();
        boolean laid = cable.run("ip", "netns", "add", cable.namespace)
                && cable.run(
                        "ip",
                        "link",
                        "add",
                        cable.near(),
                        "type",
                        "veth",
                        "peer",
                        "name",
                        cable.far(),
                        "netns",
                        cable.namespace)
                && cable.run("ip", "address", "add", cable.nearAddress() + "/30", "dev", cable.near())
                && cable.run("ip", "link", "set", cable.near(), "up")
                && cable.run(
                        "ip", "-n", cable.namespace, "address", "add", cable.farAddress() + "/30", "dev", cable.far())
                && cable.run("ip", "-n", cable.namespace, "link", "set", cable.far(), "up");
        if (!laid) {
            cable.close();
        }
        assumeTrue(laid, IMPOSSIBLE);
        return cable;
    }

    private String near() {
        return cable + "a";
    }

    private String far() {
        return cable + "b";
    }

    private String nearAddress() {
        return network + "1";
    }

    private String farAddress() {
        return network + "2";
    }

    /** A server that both sides can reach. */
    public PostgresServer startServer(Path folder) {
        return PostgresServer.in(folder.resolve("server"))
                .settings(Map.of("listen_addresses", nearAddress(), "fsync", "off"))
                .accessRule("host all all " + farAddress() + "/32 trust")
                .build()
                .start();
    }

    /** The URL of the server's database {@code postgres}, for the other side. */
    public String farUrl(PostgresServer server) {
        return "postgres://postgres@" + nearAddress() + ":" + server.port() + "/postgres";
    }

    /** The beginning of a command that runs on the other side. */
    public List<String> onTheFarSide() {
        return List.of("ip", "netns", "exec", namespace);
    }

    public void cut() {
        run("ip", "link", "set", near(), "down");
    }

    public void mend() {
        run("ip", "link", "set", near(), "up");
    }

    private boolean run(String... command) {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException inAHurry) {
            throw new IllegalStateException(inAHurry);
        }
    }

    @Override
    public void close() {
        run("ip", "link", "delete", near());
        run("ip", "netns", "delete", namespace);
    }
}
