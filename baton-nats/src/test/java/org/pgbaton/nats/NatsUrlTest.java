package org.pgbaton.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NatsUrlTest {

    @Test
    void everythingCanBeSaid() {
        NatsUrl url = NatsUrl.parse("tls://app:p%40ss%2Fw%C3%B6rd+@one:1234,two,[::1]:99/");
        assertThat(url.tls()).isTrue();
        assertThat(url.user()).isEqualTo("app");
        assertThat(url.secret()).isEqualTo("p@ss/wörd+");
        assertThat(url).hasToString("tls://app@one:1234,two:4222,[::1]:99");
    }

    @Test
    void mostCanBeLeftOut() {
        assertThat(NatsUrl.parse("nats://nats")).hasToString("nats://nats:4222");
        assertThat(NatsUrl.parse("nats://")).hasToString("nats://localhost:4222");
        NatsUrl token = NatsUrl.parse("nats://t0ken@nats");
        assertThat(token.user()).isEmpty();
        assertThat(token.secret()).isEqualTo("t0ken");
        assertThat(token).hasToString("nats://nats:4222");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hush",
                "http://u:hush@nats",
                "opentls://u:hush@nats",
                "nats://u:hush@nats:99999",
                "nats://u:hush@nats:hush",
                "nats://u:hush@nats/a",
                "nats://u:hush@nats?x=10",
                "nats://u:hu/sh@nats",
                "nats://u:hu@sh@nats",
                "nats://u:hu?sh@nats",
                "nats://u:hu#sh@nats",
                "nats://u:hu sh@nats",
                "nats://u:hush%@nats",
                "nats://hush%zz@nats",
                "nats://u:hush@::1",
                "nats://nats:hush"
            })
    void whatIsWrongIsSaidWithoutShowingIt(String wrong) {
        assertThatThrownBy(() -> NatsPublisher.to(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("NATS's ")
                .hasNoCause()
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hush", "hu/", "hu@", "hu?", "hu#"));
    }

    @Test
    void badOptionsAreRefused() {
        assertThatThrownBy(() -> NatsPublisher.to("nats://h")
                        .subject("{topic}.{nonsense}")
                        .build())
                .hasMessage(
                        "The subject '{topic}.{nonsense}' has braces around something other than topic, key or type.");
        assertThatThrownBy(() -> NatsPublisher.to("nats://h").subject("a..b").build())
                .hasMessageContaining("is none");
        assertThatThrownBy(() -> NatsPublisher.to("nats://h").timeout(Duration.ZERO))
                .hasMessageContaining("100 ms to 1 hour (default 10 s)");
    }
}
