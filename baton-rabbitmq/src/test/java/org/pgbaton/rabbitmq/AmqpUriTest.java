package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.publishing.BrokerHost;

class AmqpUriTest {

    @Test
    void everythingCanBeSaid() {
        AmqpUri uri = AmqpUri.parse("amqps://app:p%40ss%2Fw%C3%B6rd+@one:1234,two,[::1]:99/sh%2Fop");
        assertThat(uri.tls()).isTrue();
        assertThat(uri.user()).isEqualTo("app");
        assertThat(uri.password()).isEqualTo("p@ss/wörd+");
        assertThat(uri.hosts())
                .containsExactly(new BrokerHost("one", 1234), new BrokerHost("two", 5671), new BrokerHost("[::1]", 99));
        assertThat(uri.virtualHost()).isEqualTo("sh/op");
        assertThat(uri).hasToString("amqps://app@one:1234,two:5671,[::1]:99/sh/op");
    }

    @Test
    void mostCanBeLeftOut() {
        AmqpUri uri = AmqpUri.parse("amqp://rabbit");
        assertThat(uri.tls()).isFalse();
        assertThat(uri.user()).isEqualTo("guest");
        assertThat(uri.password()).isEqualTo("guest");
        assertThat(uri.hosts()).containsExactly(new BrokerHost("rabbit", 5672));
        assertThat(uri.virtualHost()).isEqualTo("/");
        assertThat(AmqpUri.parse("amqp://").hosts()).containsExactly(new BrokerHost("localhost", 5672));
        assertThat(AmqpUri.parse("amqp://rabbit/").virtualHost()).isEqualTo("/");
        assertThat(AmqpUri.parse("amqp://app@rabbit").password()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hush",
                "http://u:hush@rabbit",
                "amqp://u:hush@rabbit:99999",
                "amqp://u:hush@rabbit:hush",
                "amqp://u:hush@rabbit/a/b",
                "amqp://u:hush@rabbit?heartbeat=10",
                "amqp://u:hu/sh@rabbit",
                "amqp://u:hu@sh@rabbit",
                "amqp://u:hu?sh@rabbit",
                "amqp://u:hu#sh@rabbit",
                "amqp://u:hu sh@rabbit",
                "amqp://u:hush%@rabbit",
                "amqp://u:hush%zz@rabbit",
                "amqp://u:hush@::1",
                "amqp://rabbit:hush"
            })
    void whatIsWrongIsSaidWithoutShowingIt(String wrong) {
        assertThatThrownBy(() -> RabbitPublisher.to(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("RabbitMQ's ")
                .hasNoCause()
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hush", "hu/", "hu@", "hu?", "hu#"));
    }

    @Test
    void badOptionsAreRefused() {
        assertThatThrownBy(() -> RabbitPublisher.to("amqp://h")
                        .routingKey("{topic}.{nonsense}")
                        .build())
                .hasMessage(
                        "The routing key '{topic}.{nonsense}' has braces around something other than topic, key or type.");
        assertThatThrownBy(() -> RabbitPublisher.to("amqp://h").exchange("{").build())
                .hasMessageContaining("exchange");
        assertThatThrownBy(() -> RabbitPublisher.to("amqp://h").timeout(java.time.Duration.ZERO))
                .hasMessageContaining("100 ms to 1 hour (default 10 s)");
    }
}
