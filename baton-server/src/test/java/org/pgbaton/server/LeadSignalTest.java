package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Signals go to the command, and before there is one they end the wait. */
@BatonTest
class LeadSignalTest {
    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP", "USR1"})
    void aSignalReachesTheCommandWhoseCodeCounts(String signal, TestDatabase database) {
        String command =
                "trap 'echo got " + signal + "; exit 5' " + signal + "; echo ready; while :; do sleep 0.02; done";
        try (Cli baton = Cli.baton("lead", "job", "--", "bash", "-c", command)
                .on(database.url())
                .start()) {
            baton.awaitLine("ready");
            baton.signal(signal);

            Cli.Ended ended = baton.awaitEnd();
            assertThat(ended.code()).isEqualTo(5);
            assertThat(ended.out()).isEqualTo("ready\ngot " + signal + "\n");
            assertThat(ended.err()).isEmpty();
        }
    }

    @Test
    void aSignalThatEndsTheCommandIsSeenInTheCode(TestDatabase database) {
        try (Cli baton = LeadTest.leading(database, "job")) {
            baton.signal("TERM");

            assertThat(baton.awaitEnd().code()).isEqualTo(143);
        }
    }

    @Test
    void aCommandThatIgnoresTheSignalGoesOn(TestDatabase database) throws IOException {
        try (Cli baton = Cli.baton("lead", "job", "--", "sh", "-c", "trap '' HUP; echo ready; cat")
                .on(database.url())
                .start()) {
            baton.awaitLine("ready");
            baton.signal("HUP");
            baton.type("still here\n");
            baton.awaitLine("still here");
            baton.closeInput();

            assertThat(baton.awaitEnd().code()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSignalEndsTheWait(String signal, TestDatabase database) {
        try (Cli leader = LeadTest.leading(database, "job");
                Cli standby = Cli.baton("lead", "job", "--wait", "--", "echo", "never")
                        .on(database.url())
                        .start()) {
            LeadTakeoverTest.awaitStandby(database, standby);
            standby.signal(signal);

            Cli.Ended ended = standby.awaitEnd();
            assertThat(ended.code()).isEqualTo(signal.equals("TERM") ? 143 : 130);
            assertThat(ended.out()).isEmpty();
            assertThat(ended.err()).isEmpty();
            assertThat(leader.isAlive()).isTrue();
        }
    }

    @Test
    void aSignalEndsTheAttemptToReachADatabaseThatDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Cli baton = Cli.baton("lead", "job", "--wait", "--", "echo", "never")
                        .on("postgres://127.0.0.1:" + silent.getLocalPort() + "/db")
                        .start();
                Socket connection = silent.accept()) {
            assertThat(connection.getInputStream().read()).isZero(); // it has asked, and waits for an answer
            baton.signal("TERM");

            Cli.Ended ended = baton.awaitEnd();
            assertThat(ended.code()).isEqualTo(143);
            assertThat(ended.err()).isEmpty();
        }
    }
}
