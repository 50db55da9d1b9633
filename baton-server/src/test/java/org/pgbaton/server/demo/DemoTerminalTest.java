package org.pgbaton.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The demo's lines: a block in place on a terminal, plain lines elsewhere. */
class DemoTerminalTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);

    @Test
    void elsewhereNewsAreLinesAndThereIsNoBlock() {
        DemoTerminal pipe = new DemoTerminal(out, false);
        pipe.say("begins");
        pipe.show(List.of("worker-1 works"));
        pipe.tell("round 1: all of it", "round 1");
        pipe.close();
        pipe.say("OK");
        assertThat(said()).isEqualTo("begins\nround 1: all of it\nOK\n");
    }

    @Test
    void aTerminalShowsOneBlockInPlace() {
        DemoTerminal terminal = new DemoTerminal(out, true);
        terminal.show(List.of("worker-1 works", "worker-2 works"));
        terminal.show(List.of("worker-1 works", "worker-3 works"));
        terminal.say("a line that stays");
        assertThat(said())
                .isEqualTo("worker-1 works\nworker-2 works\n" + back(2) + "worker-1 works\nworker-3 works\n" + back(2)
                        + "a line that stays\nworker-1 works\nworker-3 works\n");
    }

    @Test
    void theBlockHasTheLatestNewsInShort() {
        DemoTerminal terminal = new DemoTerminal(out, true);
        for (int i = 1; i <= 5; i++) {
            terminal.tell("round " + i + ", all of it", "round " + i);
        }
        assertThat(said())
                .endsWith(back(4) + "  round 2\n  round 3\n  round 4\n  round 5\n")
                .doesNotContain("all of it");
    }

    @Test
    void noLineOfTheBlockBreaks() {
        new DemoTerminal(out, true).show(List.of("x".repeat(200)));
        assertThat(said()).isEqualTo("x".repeat(78) + "…\n");
    }

    private static String back(int lines) {
        return "\u001b[" + lines + "A\u001b[J";
    }

    private String said() {
        return written.toString(StandardCharsets.UTF_8);
    }
}
