package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A {@code serve} that is refused leaves no subscription behind, which nobody would run and which would hold back retention. */
@BatonTest
class RefusedServeTest {
    @TempDir
    private Path folder;

    @Test
    void aTableThatCannotBeCapturedIsFoundBeforeAnythingIsMade(TestDatabase database) throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), """
                relays:
                  - name: trades
                    target: {stdout: }
                captures:
                  - name: alerts
                    tables: [nowhere]
                """);

        for (String[] arguments : new String[][] {{"serve", "--check"}, {"serve"}}) {
            Cli.Ended ended = Cli.baton(arguments).in(folder).on(database.url()).run();
            assertThat(ended.code()).isEqualTo(78);
            assertThat(ended.err()).contains("baton.yaml:5: ").contains("nowhere");
        }
        assertThat(database.one("SELECT count(*) FROM baton.subscription")).isEqualTo("0");
        assertThat(database.one("SELECT to_regclass('baton.alerts')")).isEqualTo("null");
    }

    @Test
    void whatIsRefusedLaterIsDeletedAgainAndWhatWasThereStays(TestDatabase database) throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), """
                relays:
                  - name: first
                    target: {stdout: }
                  - name: second
                    target: {stdout: }
                """);
        try (Baton other = database.baton("other")) {
            // Another configuration publishes it elsewhere; that is known only when the relay starts.
            other.subscription("second").on("outbox").publish(new Elsewhere()).start();

            Cli.Ended ended = Cli.baton("serve").in(folder).on(database.url()).run();

            assertThat(ended.code()).isEqualTo(78);
            assertThat(ended.err()).contains("baton.yaml:4: ").contains("publishes to elsewhere");
        }
        assertThat(database.one("SELECT string_agg(name, ',') FROM baton.subscription"))
                .isEqualTo("second");
        assertThat(database.one("SELECT subject || ': ' || reason FROM baton.action WHERE what = 'delete'"))
                .isEqualTo("first: made by a start of 'serve' that was refused");
    }

    private record Elsewhere() implements Publisher {
        @Override
        public String target() {
            return "elsewhere";
        }

        @Override
        public CompletionStage<?> publish(Message message, Delivery delivery) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public void close() {}
    }
}
