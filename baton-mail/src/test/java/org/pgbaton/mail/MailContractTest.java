package org.pgbaton.mail;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.internet.MimeMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.pgbaton.log.Draft;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.PublisherContract;

class MailContractTest extends PublisherContract {
    @Override
    protected Target target() throws Exception {
        return new Mailbox();
    }

    /** A real server with a real mailbox. The payload goes in base64: an e-mail's text cannot be any bytes. */
    private static final class Mailbox implements Target {
        private final int port = freePort();
        private final List<Arrived> before = new ArrayList<>();
        private GreenMail server = start();

        private Mailbox() throws Exception {}

        private static int freePort() throws Exception {
            try (var any = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
                return any.getLocalPort();
            }
        }

        private GreenMail start() {
            ServerSetup setup = new ServerSetup(port, "127.0.0.1", "smtp");
            setup.setServerStartupTimeout(20_000);
            GreenMail started = new GreenMail(setup);
            started.start();
            return started;
        }

        @Override
        public Publisher publisher() {
            return MailPublisher.via("127.0.0.1")
                    .port(port)
                    .tls(Tls.NONE)
                    .from("baton@example.com")
                    .to("ops@example.com")
                    .maxSize(10_000)
                    .compose(message -> new Mail("test", Base64.getEncoder().encodeToString(message.payload())))
                    .build();
        }

        @Override
        public List<Arrived> arrived() throws Exception {
            List<Arrived> all = new ArrayList<>(before);
            for (MimeMessage each : server.getReceivedMessages()) {
                all.add(new Arrived(
                        each.getHeader("Baton-Key", null),
                        UUID.fromString(each.getHeader("Baton-Id", null)),
                        Base64.getMimeDecoder().decode(String.valueOf(each.getContent()))));
            }
            return all;
        }

        @Override
        public void breakDown() throws Exception {
            before.addAll(arrived());
            server.stop();
        }

        @Override
        public void recover() {
            server = start();
        }

        @Override
        public Optional<Draft> poison(String key) {
            return Optional.of(Draft.bytes("x".repeat(20_000).getBytes(StandardCharsets.UTF_8))
                    .key(key)
                    .topic(topic()));
        }

        @Override
        public void close() {
            server.stop();
        }
    }
}
