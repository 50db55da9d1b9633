package org.pgbaton.embedded.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Programs end, and see an environment that is always the same. */
class LauncherTest {

    @Test
    void aProgramThatTakesTooLongIsKilled() {
        Launcher.Outcome outcome = Launcher.direct().run(Duration.ofMillis(100), List.of("sleep", "1000"));
        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.output()).contains("killed after");
    }

    @Test
    void programsDoNotSeeTheCallersLocale() {
        Launcher.Outcome locale = Launcher.direct().run(Duration.ofSeconds(20), List.of("env"));
        assertThat(locale.output().lines()).contains("LC_ALL=C").noneMatch(line -> line.startsWith("LANG="));
    }
}
