package org.pgbaton.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A login goes unencrypted to this machine only. */
class UnencryptedLoginTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "broker.localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]", "[0:0:0:0:0:0:0:1]"})
    void thisMachine(String host) {
        assertThat(UnencryptedLogin.isThisMachine(host)).isTrue();
        UnencryptedLogin.refuse("nats://user@" + host, List.of(host), "write tls://");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "broker",
                "localhost.example.com",
                "127.0.0.1.example.com",
                "10.0.0.1",
                "0.0.0.0",
                "[fe80::1]",
                "notlocalhost",
                ""
            })
    void anotherMachine(String host) {
        assertThat(UnencryptedLogin.isThisMachine(host)).isFalse();
    }

    @Test
    void oneHostOfSeveralIsEnough() {
        assertThatThrownBy(() -> UnencryptedLogin.refuse(
                        "amqp://app@localhost:5672,rabbit-2:5672/", List.of("localhost", "rabbit-2"), "write amqps://"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "The login for amqp://app@localhost:5672,rabbit-2:5672/ would go to rabbit-2 unencrypted: write amqps://; or "
                                + "allow it with allowUnencryptedLogin(true), if nobody else can listen on that network.");
    }
}
