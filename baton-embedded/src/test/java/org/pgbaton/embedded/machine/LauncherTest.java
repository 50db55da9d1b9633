package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** PostgreSQL's programs run as somebody they accept, and end. */
class LauncherTest {

    @Test
    void rootWithoutUnshareIsToldWhatToDo() {
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> Launcher.forRoot("no-such-unshare"))
                .withMessageContaining("PostgreSQL refuses to run as root")
                .withMessageContaining("\"no-such-unshare -U true\" does not work here")
                .withMessageContaining("run as an ordinary user")
                .withMessageContaining("util-linux")
                .withMessageContaining("--database-url");
    }

    @Test
    void rootThatMayNotUnshareIsToldWhatToDo() {
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> Launcher.forRoot("false"))
                .withMessageContaining("\"false -U true\" does not work here")
                .withMessageContaining("allow user namespaces");
    }

    @Test
    void programsAreNeverRoot() {
        Launcher.Outcome id = Launcher.forThisUser().run(Duration.ofSeconds(20), List.of("id", "-u"));
        assertThat(id.succeeded()).isTrue();
        assertThat(id.output().strip()).isNotEqualTo("0");
    }

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
