package org.pgbaton.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.BodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.util.Collections;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;

/** By a real SMTP server. */
@Timeout(60)
class WhatArrivesTest {
    private static final GreenMail SERVER = new GreenMail(setup());

    private static ServerSetup setup() {
        ServerSetup setup = new ServerSetup(0, "127.0.0.1", "smtp");
        setup.setServerStartupTimeout(20_000);
        return setup;
    }

    @BeforeAll
    static void start() {
        SERVER.start();
    }

    @AfterAll
    static void stop() {
        SERVER.stop();
    }

    @BeforeEach
    void empty() throws Exception {
        SERVER.purgeEmailFromAllMailboxes();
    }

    private static MailPublisher.Builder builder() {
        return MailPublisher.via("127.0.0.1")
                .port(SERVER.getSmtp().getPort())
                .tls(Tls.NONE)
                .from("Alarme für alle <alerts@example.com>")
                .to("ops@example.com")
                .to("Chief <chief@example.org>");
    }

    /** All recipients get the same mail; this is the first one's. */
    private static MimeMessage sent(Mail mail, Message message) throws Exception {
        try (MailPublisher publisher = builder().build()) {
            Sending.published(publisher.send(mail, message, Sending.DELIVERY));
        }
        assertThat(SERVER.getReceivedMessages()).hasSize(2);
        return SERVER.getReceivedMessages()[0];
    }

    @Test
    void aMailHasItsMessagesIdentity() throws Exception {
        Message message =
                Sending.message(Draft.json("{}").key("Straße 1\r\nBcc: x@y").type("public.alert.insert"));

        MimeMessage mail = sent(new Mail("Prüfung ✓", "Grüße\n.\n..\nEnde"), message);

        assertThat(mail.getSubject()).isEqualTo("Prüfung ✓");
        assertThat(mail.getContent().toString().replace("\r\n", "\n").strip()).isEqualTo("Grüße\n.\n..\nEnde");
        assertThat(mail.getFrom()[0].toString()).contains("<alerts@example.com>");
        assertThat(mail.getAllRecipients()).hasSize(2);
        assertThat(mail.getMessageID()).startsWith("<" + message.id() + ".").endsWith("@example.com>");
        assertThat(mail.getHeader("Baton-Id", null)).isEqualTo(message.id().toString());
        assertThat(mail.getHeader("Baton-Key", null)).isEqualTo("Stra%C3%9Fe%201%0D%0ABcc:%20x@y");
        assertThat(mail.getHeader("Baton-Position", null)).isEqualTo(Long.toString(message.position()));
        assertThat(mail.getHeader("Baton-Epoch", null)).isEqualTo("7");
        assertThat(mail.getHeader("Baton-Attempt", null)).isEqualTo("1");
        assertThat(mail.getHeader("Baton-Subscription", null)).isEqualTo("alerts-ops");
        assertThat(mail.getHeader("Auto-Submitted", null)).isEqualTo("auto-generated");
        assertThat(mail.getHeader("Bcc")).isNull();
    }

    @Test
    void sentAgainItIsTheSameMailAndByAnotherChannelAnother() throws Exception {
        Message message = Sending.anyMessage();
        try (MailPublisher publisher = builder().build()) {
            Sending.published(publisher.publish(message, Sending.DELIVERY));
            Sending.published(publisher.publish(message, new Delivery("alerts-ops", "", 8, 2)));
            Sending.published(publisher.publish(message, new Delivery("alerts-chief", "", 8, 1)));
        }
        MimeMessage[] all = SERVER.getReceivedMessages();
        assertThat(all[0].getSubject()).isEqualTo("public.alert.insert account-42");
        assertThat(all[0].getContent().toString().strip()).isEqualTo("{\"amount\": 10}");
        assertThat(java.util.Arrays.stream(all).map(WhatArrivesTest::id).distinct())
                .hasSize(2);
    }

    private static String id(MimeMessage mail) {
        try {
            return mail.getMessageID();
        } catch (jakarta.mail.MessagingException unreadable) {
            throw new AssertionError(unreadable);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello\r\nBcc: evil@example.com",
                "hello\nBcc: evil@example.com",
                "hello\rBcc: evil@example.com",
                "hello\r\n\r\nanother body",
                "hello\u0000\u2028Bcc: evil@example.com",
                "hello\r\n.\r\nMAIL FROM:<evil@example.com>\r\n",
            })
    void noSubjectAddsAHeader(String subject) throws Exception {
        MimeMessage mail = sent(new Mail(subject, "the body"), Sending.anyMessage());

        assertThat(mail.getSubject()).startsWith("hello ").doesNotContain("\r", "\n");
        assertThat(mail.getHeader("Bcc")).isNull();
        assertThat(mail.getContent().toString().strip()).isEqualTo("the body");
        assertThat(Collections.list(mail.getAllHeaderLines())).noneMatch(line -> line.startsWith("Bcc"));
    }

    @Test
    void noTextEndsTheMail() throws Exception {
        String text = "a\r\n.\r\nMAIL FROM:<evil@example.com>\r\n\rb\u0000c\n.\n";

        MimeMessage mail = sent(new Mail("s", text), Sending.anyMessage());

        assertThat(mail.getContent().toString().replace("\r\n", "\n").strip())
                .isEqualTo("a\n.\nMAIL FROM:<evil@example.com>\n\nb c\n.");
    }

    @Test
    void anHtmlPartComesBesideTheText() throws Exception {
        MimeMessage mail = sent(new Mail("s", "plain", "<b>rich ü</b>"), Sending.anyMessage());

        assertThat(mail.getContentType()).startsWith("multipart/alternative");
        MimeMultipart parts = (MimeMultipart) mail.getContent();
        assertThat(parts.getCount()).isEqualTo(2);
        BodyPart plain = parts.getBodyPart(0);
        BodyPart html = parts.getBodyPart(1);
        assertThat(plain.getContentType()).startsWith("text/plain");
        assertThat(plain.getContent()).isEqualTo("plain");
        assertThat(html.getContentType()).startsWith("text/html");
        assertThat(html.getContent()).isEqualTo("<b>rich ü</b>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ops",
                "ops@",
                "a@b\r\nRCPT TO:<c@d>",
                "a@b, c@d",
                "<a@b> x",
                "g: a@b;",
                "a@b\nBcc: x@y",
                "a b@c"
            })
    void whatIsNoAddressIsRefusedAtTheStart(String address) {
        assertThatThrownBy(() ->
                        MailPublisher.via("h").from(address).to("a@example.com").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no sender's address: write it like ops@example.com")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() ->
                        MailPublisher.via("h").from("a@example.com").to(address).build())
                .hasMessageContaining("is no recipient's address");
    }

    @Test
    void whatMakesNoSenseIsRefusedAtTheStart() {
        assertThatThrownBy(() -> MailPublisher.via("h").from("a@b.c").build())
                .hasMessageContaining("at least one recipient");
        assertThatThrownBy(() -> builder().port(0).build()).hasMessageContaining("port 0 makes no sense");
        assertThatThrownBy(() -> builder().timeout(java.time.Duration.ZERO).build())
                .hasMessageContaining("timeout of PT0S makes no sense");
        assertThatThrownBy(() -> builder().maxSize(0).build()).hasMessageContaining("maxSize of 0");
        assertThatThrownBy(() -> MailPublisher.via("smtp.example.com")
                        .tls(Tls.NONE)
                        .login("me", "s3cret")
                        .from("a@b.c")
                        .to("a@b.c")
                        .build())
                .hasMessageContaining("without TLS could be read")
                .hasMessageNotContaining("s3cret");
        assertThatThrownBy(() ->
                        builder().authorities(java.nio.file.Path.of("none.pem")).build())
                .hasMessageContaining("must be a readable file of certificates");
    }
}
