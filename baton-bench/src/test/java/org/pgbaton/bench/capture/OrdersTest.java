package org.pgbaton.bench.capture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OrdersTest {
    @Test
    void aChangeOfBatonsIsRecognised() {
        assertThat(
                        Orders.numberIn(
                                "{\"table\":\"public.orders\",\"operation\":\"update\",\"before\":null,\"after\":{\"id\":7,\"change\":4711,\"status\":\"x\"}}"))
                .isEqualTo(4711);
        assertThat(Orders.numberIn("{\"operation\":\"delete\",\"before\":{\"id\": 15},\"after\":null}"))
                .isEqualTo(19);
    }

    @Test
    void aChangeOfDebeziumsIsRecognised() {
        assertThat(
                        Orders.numberIn(
                                "{\"before\":null,\"after\":{\"id\":7,\"change\":42,\"customer\":\"c\"},\"source\":{},\"op\":\"c\"}"))
                .isEqualTo(42);
        assertThat(Orders.numberIn(
                        "{\"before\":{\"id\":15,\"change\":0,\"customer\":\"\"},\"after\":null,\"op\":\"d\"}"))
                .isEqualTo(19);
    }

    @Test
    void anythingElseIsNone() {
        assertThat(Orders.numberIn("{}")).isEqualTo(-1);
        assertThat(Orders.numberIn("{\"before\":null,\"after\":{\"text\":\"x\"}}"))
                .isEqualTo(-1);
    }
}
