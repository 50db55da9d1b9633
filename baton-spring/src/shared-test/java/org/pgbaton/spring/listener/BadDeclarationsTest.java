package org.pgbaton.spring.listener;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonListener;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A listener that cannot work fails the start, with a sentence that names the method. */
@BatonTest
class BadDeclarationsTest {
    static class TakesNothing {
        @BatonListener(subscription = "s")
        void on() {}
    }

    static class ReturnsSomething {
        @BatonListener(subscription = "s")
        CompletableFuture<Integer> on(Message message) {
            return CompletableFuture.completedFuture(1);
        }
    }

    static class WantsText {
        @BatonListener(subscription = "s")
        void on(String payload) {}
    }

    static class WantsBoth {
        @BatonListener(subscription = "s")
        void on(Message message, List<Message> messages) {}
    }

    static class ReactsWithConnection {
        @BatonListener(subscription = "s", reaction = true)
        void on(Message message, Connection connection) {}
    }

    static class InATransactionOfItsOwn {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @BatonListener(subscription = "s")
        void on(Message message) {}
    }

    static class InNoTransaction {
        @jakarta.transaction.Transactional(jakarta.transaction.Transactional.TxType.NOT_SUPPORTED)
        @BatonListener(subscription = "s")
        void on(Message message) {}
    }

    static class FinalBehindAProxy {
        @Transactional
        public void other() {}

        @BatonListener(subscription = "s")
        final void on(Message message) {}
    }

    @SuppressWarnings("unused") // Spring would call it
    static class PrivateBehindAProxy {
        @Transactional
        public void other() {}

        @BatonListener(subscription = "s")
        private void on(Message message) {}
    }

    static class TwoOfThem {
        @BatonListener(subscription = "s")
        void on(Message message) {}

        @BatonListener(subscription = "s")
        void too(Message message) {}
    }

    static class NotATime {
        @BatonListener(subscription = "s", handlerLimit = "soon")
        void on(Message message) {}
    }

    static class UnknownLog {
        @BatonListener(subscription = "s", log = "nowhere")
        void on(Message message) {}
    }

    static Stream<Arguments> declarations() {
        return Stream.of(
                Arguments.of(TakesNothing.class, "TakesNothing.on() takes no message"),
                Arguments.of(ReturnsSomething.class, "ReturnsSomething.on(Message) returns CompletableFuture"),
                Arguments.of(WantsText.class, "WantsText.on(String) cannot get its payload as String"),
                Arguments.of(WantsBoth.class, "takes a batch and a single message"),
                Arguments.of(ReactsWithConnection.class, "is a reaction, which has no Connection"),
                Arguments.of(InATransactionOfItsOwn.class, "is @Transactional with REQUIRES_NEW"),
                Arguments.of(InNoTransaction.class, "is @Transactional with NOT_SUPPORTED"),
                Arguments.of(FinalBehindAProxy.class, "is final, and its bean has a proxy"),
                Arguments.of(PrivateBehindAProxy.class, "cannot be called through the proxy"),
                Arguments.of(TwoOfThem.class, "has the subscription 's', as "),
                Arguments.of(NotATime.class, "handlerLimit = \"soon\" is no time"),
                Arguments.of(UnknownLog.class, "cannot listen: There is no log 'nowhere'"));
    }

    @ParameterizedTest
    @MethodSource("declarations")
    void theStartFails(Class<?> bean, String sentence, TestDatabase database) {
        assertThatThrownBy(() -> Applications.start(database, List.of(), bean))
                .hasStackTraceContaining("ListenerDeclarationException: The method " + bean.getSimpleName())
                .hasStackTraceContaining(sentence);
    }
}
