package org.pgbaton.server.notice;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.pgbaton.log.Message;
import org.pgbaton.mail.Mail;
import org.pgbaton.mail.MailPublisher;
import org.pgbaton.mail.Tls;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.subscription.Delivery;

/** E-mail. */
final class MailChannelKind implements ChannelKind {
    private static final Key<String> HOST = Key.required("host", Scalar.name(), "The SMTP server.");
    private static final Key<Integer> PORT = Key.optional(
            "port", Scalar.whole(1, 65535), "Its port. Default: 587 with starttls, 465 with implicit, 25 with none.");
    private static final Key<Tls> TLS = Key.optional(
            "tls",
            Scalar.choice(kinds()),
            "starttls",
            "starttls: begins in the clear and must change to TLS; implicit: TLS from the start; none.");
    private static final Key<Path> AUTHORITIES = Key.optional(
            "authorities",
            Scalar.file(),
            "A PEM file with the certificates of authorities to trust. Default: those that Java trusts.");
    private static final Key<String> USER = Key.optional("user", Scalar.text(), "The login. Default: none.");
    private static final Key<String> PASSWORD =
            Key.optional("password", Scalar.text(), "Its password.").secret();
    private static final Key<String> FROM = Key.required(
            "from", Scalar.text(), "The sender, written alerts@example.com or Alerts <alerts@example.com>.");
    private static final Key<List<String>> TO =
            Key.required("to", Scalar.text().list(), "The recipients, of one mail each time.");
    private static final Key<Duration> TIMEOUT = Key.optional(
            "timeout", Scalar.time("1ms", "10m"), "20s", "How long sending one mail may take, with connecting.");

    private static final Section SECTION = Section.of(
                    "mail", HOST, PORT, TLS, AUTHORITIES, USER, PASSWORD, FROM, TO, TIMEOUT)
            .check(MailChannelKind::check);

    private static Map<String, Tls> kinds() {
        Map<String, Tls> kinds = new LinkedHashMap<>();
        kinds.put("starttls", Tls.STARTTLS);
        kinds.put("implicit", Tls.IMPLICIT);
        kinds.put("none", Tls.NONE);
        return kinds;
    }

    private static void check(Settings settings) {
        if (settings.has(USER) != settings.has(PASSWORD)) {
            settings.problem(
                    settings.has(USER) ? USER : PASSWORD,
                    "'user' and 'password' in mail belong together: give both, or neither");
        }
    }

    @Override
    public String name() {
        return "mail";
    }

    @Override
    public String meaning() {
        return "E-mail, by an SMTP server.";
    }

    @Override
    public Section section() {
        return SECTION;
    }

    @Override
    public Template.Escaping escaping() {
        return Template.Escaping.TEXT;
    }

    @Override
    public Carrier open(Settings settings, Templates templates) {
        MailPublisher.Builder builder = MailPublisher.via(settings.get(HOST))
                .tls(settings.get(TLS))
                .from(settings.get(FROM))
                .timeout(settings.get(TIMEOUT));
        settings.get(TO).forEach(builder::to);
        settings.ifPresent(PORT, builder::port);
        settings.ifPresent(AUTHORITIES, builder::authorities);
        String user = settings.find(USER);
        Path passwordFile = settings.file(PASSWORD);
        if (user != null && passwordFile != null) {
            builder.login(user, passwordFile); // read anew at every connect
        } else if (user != null) {
            builder.login(user, settings.get(PASSWORD));
        }
        return new Letters(builder.build(), templates);
    }

    private record Letters(MailPublisher publisher, Templates templates) implements Carrier {
        @Override
        public String target() {
            return publisher.target();
        }

        @Override
        public Notice notice(List<RowChange> changes) {
            return Notice.mail(
                    Templates.filled(templates.subject(), changes, ChangeText.title(changes)),
                    Templates.filled(templates.text(), changes, ChangeText.text(changes) + "\n"),
                    templates.html() == null ? null : templates.html().fill(RowChange.data(changes)));
        }

        @Override
        public CompletionStage<?> send(Notice notice, Message message, Delivery delivery) {
            Mail mail = new Mail(
                    notice.get("subject"), notice.get("text"), notice.parts().get("html"));
            return publisher.send(mail, message, delivery);
        }

        @Override
        public void close() {
            publisher.close();
        }
    }
}
