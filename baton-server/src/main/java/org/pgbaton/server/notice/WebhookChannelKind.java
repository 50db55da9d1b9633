package org.pgbaton.server.notice;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.log.Message;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.publisher.WebhookTargetKind;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A webhook. It gets the change as JSON, or the result of the template. */
final class WebhookChannelKind implements ChannelKind {
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public String meaning() {
        return "An HTTP endpoint: each notice is a POST of JSON, the change itself unless there is a template.";
    }

    @Override
    public Section section() {
        return WebhookTargetKind.SECTION;
    }

    @Override
    public Template.Escaping escaping() {
        return Template.Escaping.JSON;
    }

    @Override
    public Carrier open(Settings settings, Templates templates) {
        return new Posts(WebhookTargetKind.publisher(settings), templates.text());
    }

    private record Posts(
            WebhookPublisher publisher, @Nullable Template template) implements Carrier {
        @Override
        public String target() {
            return publisher.target();
        }

        @Override
        public Notice notice(List<RowChange> changes) {
            if (template != null) {
                return Notice.of("body", checked(template.fill(RowChange.data(changes))));
            }
            return changes.size() == 1
                    ? Notice.asItIs(RowChange.json(changes.get(0).asJson()))
                    : Notice.of("body", RowChange.json(digest(changes)));
        }

        private static Map<String, @Nullable Object> digest(List<RowChange> changes) {
            Map<String, @Nullable Object> digest = new LinkedHashMap<>();
            digest.put("key", changes.get(0).key());
            digest.put("count", changes.size());
            digest.put("changes", changes.stream().map(Posts::identified).toList());
            return digest;
        }

        private static Map<String, @Nullable Object> identified(RowChange change) {
            Map<String, @Nullable Object> json = change.asJson();
            json.put("id", change.id().toString());
            return json;
        }

        private static String checked(String body) {
            try {
                STRICT.readTree(body);
                return body;
            } catch (JacksonException wrong) {
                var at = wrong.getLocation();
                throw new HandlerException(
                        Verdict.PARK,
                        "The template does not make JSON of this change: in line " + at.getLineNr() + ", column "
                                + at.getColumnNr() + " of the result something is wrong.");
            }
        }

        /** A single change without a template is sent byte for byte as it is in the log. */
        @Override
        public CompletionStage<?> send(Notice notice, Message message, Delivery delivery) {
            byte[] body =
                    notice.asItIs() ? message.payload() : notice.get("body").getBytes(StandardCharsets.UTF_8);
            return publisher.publish(message.replaced(message.id(), true, body), delivery);
        }

        @Override
        public void close() {
            publisher.close();
        }
    }
}
