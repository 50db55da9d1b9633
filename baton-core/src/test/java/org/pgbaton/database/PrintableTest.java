package org.pgbaton.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What comes from outside is one line in a log or on a terminal, and cannot command the terminal. */
class PrintableTest {
    @Test
    void aLineBreakBeginsNoLine() {
        assertThat(Printable.line("P7\n12:00:00.000 INFO  [main] all is well\r\u0085\u2028\u2029\u000b"))
                .isEqualTo("P7\\n12:00:00.000 INFO  [main] all is well\\r\\u0085\\u2028\\u2029\\u000b");
    }

    @Test
    void aTerminalIsNotCommandedAndTheDirectionOfWritingStays() {
        assertThat(Printable.line("\u001b[2J\u009b31m\u0007\u0000\u007f\u202eabc\u2066"))
                .isEqualTo("\\u001b[2J\\u009b31m\\u0007\\u0000\\u007f\\u202eabc\\u2066");
    }

    @Test
    void whatIsPrintableStaysAsItIs() {
        String text = "Zürich – 東京 \\n 'x' \uD83D\uDE00";
        assertThat(Printable.line(text)).isSameAs(text);
        assertThat(Printable.line(null)).isEqualTo("null");
    }

    @Test
    void aTextKeepsItsLinesAndNothingElse() {
        assertThat(Printable.lines("a\n\tb\u001b[0m\r\n")).isEqualTo("a\n\tb\\u001b[0m\\r\n");
    }
}
