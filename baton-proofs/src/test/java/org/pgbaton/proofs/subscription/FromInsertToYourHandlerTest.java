package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Keeps the page docs/from-insert-to-handler.md true. */
@BatonTest
class FromInsertToYourHandlerTest {
    private static final Path PAGE = Path.of("../docs/from-insert-to-handler.md");
    private static final Path CODE = Path.of("../baton-core/src/main/java/org/pgbaton");
    private static final Path SQL = Path.of("../baton-core/src/main/resources/org/pgbaton/schema");

    @Test
    void theCallStackIsTheOneThatThePageShows(TestDatabase database) throws Exception {
        CompletableFuture<List<String>> seen = new CompletableFuture<>();
        try (Baton baton = database.baton()) {
            baton.subscription("walk")
                    .on("events")
                    .project((message, connection) -> seen.complete(frames()))
                    .start();
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('a', '{}')");

            List<String> shown = Files.readString(PAGE)
                    .replaceFirst("(?s).*```\n(.*?)```.*", "$1")
                    .lines()
                    .toList();
            assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo(shown).hasSizeLessThanOrEqualTo(8);
        }
    }

    /** Ours, the outermost first. */
    private static List<String> frames() {
        List<String> all = new ArrayList<>();
        Arrays.stream(Thread.currentThread().getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("org.pgbaton."))
                .filter(frame -> !frame.getClassName().startsWith("org.pgbaton.proofs."))
                .forEach(
                        frame -> all.add(frame.getClassName().replaceFirst(".*\\.", "") + "." + frame.getMethodName()));
        Collections.reverse(all);
        return all;
    }

    @Test
    void everyFileIsThere() throws IOException {
        List<String> files = Pattern.compile("\\| \\d+ \\| `([^`]+)`")
                .matcher(Files.readString(PAGE))
                .results()
                .map((MatchResult row) -> row.group(1))
                .toList();

        assertThat(files)
                .hasSizeBetween(10, 15)
                .allSatisfy(file -> assertThat(file.endsWith(".sql") ? SQL.resolve(file) : CODE.resolve(file))
                        .exists());
    }
}
