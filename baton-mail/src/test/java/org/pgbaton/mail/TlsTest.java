package org.pgbaton.mail;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** Nothing is sent to a server without a valid certificate. */
@Timeout(30)
class TlsTest {
    private static final HeldCertificate AUTHORITY =
            new HeldCertificate.Builder().certificateAuthority(0).ecdsa256().build();
    private static final HeldCertificate HERE = new HeldCertificate.Builder()
            .signedBy(AUTHORITY)
            .commonName("localhost")
            .addSubjectAlternativeName("localhost")
            .ecdsa256()
            .build();

    @TempDir
    private Path folder;

    private static SSLContext context() {
        return new HandshakeCertificates.Builder().heldCertificate(HERE).build().sslContext();
    }

    private Path authorities() throws Exception {
        return Files.writeString(folder.resolve("ca.pem"), AUTHORITY.certificatePem());
    }

    private static MailPublisher.Builder to(String host, int port, Tls tls) {
        return MailPublisher.via(host)
                .port(port)
                .tls(tls)
                .login("baton", "s3cret-of-mail")
                .from("alerts@example.com")
                .to("ops@example.com")
                .timeout(Duration.ofSeconds(5));
    }

    @Test
    void startTlsSendsNothingInTheClear() throws Exception {
        try (SmtpServer server = new SmtpServer(context());
                MailPublisher publisher = to("localhost", server.port(), Tls.STARTTLS)
                        .authorities(authorities())
                        .build()) {
            Sending.published(publisher.publish(Sending.anyMessage(), Sending.DELIVERY));

            assertThat(server.mails).hasSize(1);
            int tls = server.commands.indexOf("STARTTLS");
            assertThat(server.commands.subList(0, tls)).allMatch(each -> each.startsWith("EHLO"));
            assertThat(server.commands.toString()).contains("AUTH ");
        }
    }

    @Test
    void aServerWithoutStartTlsIsToldNothing() throws Exception {
        try (SmtpServer server = new SmtpServer(null);
                MailPublisher publisher =
                        to("localhost", server.port(), Tls.STARTTLS).build()) {
            HandlerException failure = Sending.failed(publisher.publish(Sending.anyMessage(), Sending.DELIVERY));

            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageContaining("STARTTLS");
            assertThat(server.commands).noneMatch(each -> each.startsWith("AUTH") || each.startsWith("MAIL"));
        }
    }

    @Test
    void aCertificateOfNobodyOrForAnotherNameIsRefused() throws Exception {
        try (SmtpServer server = new SmtpServer(context());
                MailPublisher unknown =
                        to("localhost", server.port(), Tls.STARTTLS).build();
                MailPublisher otherName = to("127.0.0.1", server.port(), Tls.STARTTLS)
                        .authorities(authorities())
                        .build()) {
            for (MailPublisher publisher : new MailPublisher[] {unknown, otherName}) {
                HandlerException failure = Sending.failed(publisher.publish(Sending.anyMessage(), Sending.DELIVERY));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("cannot be trusted");
            }
            assertThat(server.commands).noneMatch(each -> each.startsWith("AUTH") || each.startsWith("MAIL"));
        }
    }

    @Test
    void tlsFromTheStartWithARealServer() throws Exception {
        Path keys = folder.resolve("keys.p12");
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(
                "here", HERE.keyPair().getPrivate(), "changeit".toCharArray(), new Certificate[] {HERE.certificate()});
        try (OutputStream out = Files.newOutputStream(keys)) {
            store.store(out, "changeit".toCharArray());
        }
        System.setProperty("greenmail.tls.keystore.file", keys.toString());
        System.setProperty("greenmail.tls.keystore.password", "changeit");
        ServerSetup setup = new ServerSetup(0, "127.0.0.1", "smtps");
        setup.setServerStartupTimeout(20_000);
        GreenMail server = new GreenMail(setup);
        server.setUser("baton", "s3cret-of-mail");
        server.start();
        int port = server.getSmtps().getPort();
        try (MailPublisher right = to("localhost", port, Tls.IMPLICIT)
                        .authorities(authorities())
                        .build();
                MailPublisher fromAFile = to("localhost", port, Tls.IMPLICIT)
                        .login("baton", Files.writeString(folder.resolve("password"), "s3cret-of-mail\n"))
                        .authorities(authorities())
                        .build();
                MailPublisher otherName = to("127.0.0.1", port, Tls.IMPLICIT)
                        .authorities(authorities())
                        .build();
                MailPublisher unknown = to("localhost", port, Tls.IMPLICIT).build()) {
            Sending.published(right.publish(Sending.anyMessage(), Sending.DELIVERY));
            Sending.published(fromAFile.publish(Sending.anyMessage(), Sending.DELIVERY));
            assertThat(Sending.failed(otherName.publish(Sending.anyMessage(), Sending.DELIVERY)))
                    .hasMessageContaining("cannot be trusted");
            assertThat(Sending.failed(unknown.publish(Sending.anyMessage(), Sending.DELIVERY)))
                    .hasMessageContaining("cannot be trusted");
            assertThat(server.getReceivedMessages()).hasSize(2);
        } finally {
            server.stop();
            System.clearProperty("greenmail.tls.keystore.file");
            System.clearProperty("greenmail.tls.keystore.password");
        }
    }
}
