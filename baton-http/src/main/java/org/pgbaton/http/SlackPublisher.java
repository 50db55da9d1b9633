package org.pgbaton.http;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import okhttp3.OkHttpClient;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;

/**
 * Publishes messages to a channel of Slack, by an incoming webhook: each is a POST of {@code {"text": …}}.
 *
 * <pre>{@code
 * SlackPublisher slack = SlackPublisher.to(URI.create(System.getenv("SLACK_URL")))
 *         .text(message -> "Order " + SlackPublisher.escaped(message.key()))
 *         .build();
 * }</pre>
 *
 * <p>What an answer means, which addresses may be sent to, and the limits of time and size are those of {@link WebhookPublisher}. The
 * URL is a secret, all of it but the host: it is shown nowhere, and blotted out of what the endpoint says. Slack has no ids: a message
 * that is sent again after a crash is there twice.
 *
 * <p>Thread-safe.
 */
public final class SlackPublisher implements Publisher {
    /** Slack cuts texts after 40,000 characters; so we do it, where it can be seen. */
    private static final int MOST_CHARACTERS = 39_000;

    private final WebhookPublisher webhook;
    private final Function<Message, String> text;

    private SlackPublisher(WebhookPublisher webhook, Function<Message, String> text) {
        this.webhook = webhook;
        this.text = text;
    }

    /**
     * Begins to describe a publisher.
     *
     * @param url as Slack gives it out, {@code https://hooks.slack.com/services/…}
     */
    public static Builder to(URI url) {
        return new Builder(url);
    }

    /**
     * Text that Slack shows as it is. Without this, {@code <!channel>} in a row would call everybody, and {@code <https://…|here>} hide
     * where a link leads.
     */
    public static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** {@code Slack at hooks.slack.com}: no more of the URL. */
    @Override
    public String target() {
        return webhook.target();
    }

    /** If the function for the text throws, the message fails with that exception. */
    @Override
    public CompletionStage<Void> publish(Message message, Delivery delivery) {
        byte[] body;
        try {
            body = body(text.apply(message)).getBytes(StandardCharsets.UTF_8);
        } catch (RuntimeException theirs) {
            return CompletableFuture.failedStage(theirs);
        }
        return webhook.publish(message.replaced(message.id(), true, body), delivery);
    }

    private static String body(String text) {
        StringBuilder json = new StringBuilder("{\"text\":\"");
        shortened(text).chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                json.append('\\').append((char) c);
            } else if (c < ' ' || Character.isSurrogate((char) c)) {
                json.append(String.format("\\u%04x", c));
            } else {
                json.append((char) c);
            }
        });
        return json.append("\"}").toString();
    }

    private static String shortened(String text) {
        if (text.length() <= MOST_CHARACTERS) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(MOST_CHARACTERS - 1)) ? MOST_CHARACTERS - 1 : MOST_CHARACTERS;
        return text.substring(0, end) + "…";
    }

    /** Requests that are under way get 5 s. */
    @Override
    public void close() {
        webhook.close();
    }

    @Override
    public String toString() {
        return target();
    }

    /** How to publish. Not thread-safe. */
    public static final class Builder {
        private final WebhookPublisher.Builder webhook;
        private Function<Message, String> text = message -> escaped(message.text());

        private Builder(URI url) {
            this.webhook = WebhookPublisher.to(url).secretPath();
        }

        /**
         * Makes the text, in Slack's markup. Use {@link #escaped} for values that come from others. Default: the
         * payload, as it is.
         */
        public Builder text(Function<Message, String> function) {
            this.text = function;
            return this;
        }

        /** As for {@link WebhookPublisher.Builder#allowPrivate}; for something that takes Slack's place in a network of one's own. */
        public Builder allowPrivate(boolean allowed) {
            webhook.allowPrivate(allowed);
            return this;
        }

        /** How long a request may take from the look-up of the name to the answer (default 15 s). */
        public Builder timeout(Duration longest) {
            webhook.timeout(longest);
            return this;
        }

        Builder tuning(Consumer<OkHttpClient.Builder> client) {
            webhook.tuning(client);
            return this;
        }

        /**
         * Makes the publisher, which connects to nothing yet.
         *
         * @throws IllegalArgumentException if something makes no sense, or nothing may be sent to that URL
         */
        public SlackPublisher build() {
            return new SlackPublisher(webhook.build(), text);
        }
    }
}
