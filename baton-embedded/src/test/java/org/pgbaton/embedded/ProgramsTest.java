package org.pgbaton.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.embedded.machine.Launcher;

/** PostgreSQL's programs run as somebody they accept. */
class ProgramsTest {

    @Test
    void rootWithoutUnshareIsToldWhatToDo() {
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> Programs.launcherForRoot("no-such-unshare"))
                .withMessageContaining("PostgreSQL refuses to run as root")
                .withMessageContaining("\"no-such-unshare -U true\" does not work here")
                .withMessageContaining("run as an ordinary user")
                .withMessageContaining("util-linux")
                .withMessageContaining("--database-url");
    }

    @Test
    void rootThatMayNotUnshareIsToldWhatToDo() {
        assertThatExceptionOfType(EmbeddedPostgresException.class)
                .isThrownBy(() -> Programs.launcherForRoot("false"))
                .withMessageContaining("\"false -U true\" does not work here")
                .withMessageContaining("allow user namespaces");
    }

    @Test
    void programsAreNeverRoot() {
        Launcher.Outcome id = Programs.launcherForThisUser().run(Duration.ofSeconds(20), List.of("id", "-u"));
        assertThat(id.succeeded()).isTrue();
        assertThat(id.output().strip()).isNotEqualTo("0");
    }
}
