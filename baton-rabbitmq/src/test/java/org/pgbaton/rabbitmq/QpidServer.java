package org.pgbaton.rabbitmq;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.qpid.server.SystemLauncher;

/**
 * Apache Qpid Broker-J inside this JVM: a broker that speaks AMQP 0-9-1 with confirms and needs no installation. It
 * keeps nothing on disk.
 */
final class QpidServer implements AutoCloseable {
    private final SystemLauncher launcher = new SystemLauncher();
    private final Path folder;
    private final int port;

    QpidServer() throws Exception {
        this.folder = Files.createTempDirectory("baton-qpid");
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            this.port = probe.getLocalPort();
        }
        Path settings = Files.writeString(folder.resolve("qpid.json"), """
                {"name": "broker", "modelVersion": "9.1",
                 "authenticationproviders": [{"name": "plain", "type": "Plain", "secureOnlyMechanisms": [],
                   "users": [{"name": "baton", "type": "managed", "password": "qpid"}]}],
                 "ports": [{"name": "amqp", "port": "%d", "bindingAddress": "127.0.0.1", "authenticationProvider": "plain",
                   "protocols": ["AMQP_0_9_1"], "virtualhostaliases": [{"name": "nameAlias", "type": "nameAlias"}]}],
                 "virtualhostnodes": [{"name": "test", "type": "Memory",
                   "virtualHostInitialConfiguration": "{\\"type\\": \\"Memory\\"}"}]}
                """.formatted(port));
        launcher.startup(Map.of(
                "type",
                "Memory",
                "initialConfigurationLocation",
                settings.toUri().toString(),
                "startupLoggedToSystemOut",
                false,
                "context",
                Map.of("qpid.work_dir", folder.toString())));
    }

    String uri() {
        return "amqp://baton:qpid@127.0.0.1:" + port + "/test";
    }

    @Override
    public void close() throws IOException {
        launcher.shutdown();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(each -> each.toFile().delete());
        }
    }
}
