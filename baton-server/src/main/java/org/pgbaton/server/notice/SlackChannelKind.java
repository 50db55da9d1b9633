package org.pgbaton.server.notice;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.pgbaton.http.SlackPublisher;
import org.pgbaton.log.Message;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.publisher.WebhookTargetKind;
import org.pgbaton.subscription.Delivery;

/** A channel of Slack. */
final class SlackChannelKind implements ChannelKind {
    private static final Key<URI> URL = Key.required(
                    "url",
                    Scalar.url("https", "http"),
                    "The incoming webhook that Slack gave out. Nothing of it but the host is shown.")
            .secret();

    private static final Section SECTION =
            Section.of("slack", URL, WebhookTargetKind.ALLOW_PRIVATE, WebhookTargetKind.TIMEOUT);

    @Override
    public String name() {
        return "slack";
    }

    @Override
    public String meaning() {
        return "A channel of Slack, by an incoming webhook.";
    }

    @Override
    public Section section() {
        return SECTION;
    }

    @Override
    public Template.Escaping escaping() {
        return Template.Escaping.SLACK;
    }

    @Override
    public Carrier open(Settings settings, Templates templates) {
        SlackPublisher publisher = SlackPublisher.to(settings.get(URL))
                .allowPrivate(settings.get(WebhookTargetKind.ALLOW_PRIVATE))
                .timeout(settings.get(WebhookTargetKind.TIMEOUT))
                .text(Message::text)
                .build();
        return new Posts(publisher, templates.text());
    }

    private record Posts(SlackPublisher publisher, @Nullable Template template) implements Carrier {
        @Override
        public String target() {
            return publisher.target();
        }

        @Override
        public Notice notice(List<RowChange> changes) {
            String own = SlackPublisher.escaped(ChangeText.text(changes));
            return Notice.of("text", Templates.filled(template, changes, own));
        }

        @Override
        public CompletionStage<?> send(Notice notice, Message message, Delivery delivery) {
            byte[] text = notice.get("text").getBytes(StandardCharsets.UTF_8);
            return publisher.publish(message.replaced(message.id(), false, text), delivery);
        }

        @Override
        public void close() {
            publisher.close();
        }
    }
}
