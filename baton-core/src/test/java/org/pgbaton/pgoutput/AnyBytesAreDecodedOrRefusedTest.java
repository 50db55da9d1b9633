package org.pgbaton.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgbaton.Fuzz;
import org.pgbaton.database.Printable;
import org.pgbaton.log.Draft;

/**
 * Whatever bytes come from a replication slot, they are decoded, and can be told as JSON, or are refused in a sentence. Rows that are decoded
 * are JSON, as far as the server's own JSON in them is.
 */
class AnyBytesAreDecodedOrRefusedTest {
    /** A seed that finds something stays, with what it found; the input becomes a test of {@link BrokenMessagesTest}. */
    private static final List<Long> SEEDS = List.of(1L, 2L, 3L, 4L);

    /** After so many, a decoder that knows the right descriptions: a changed one makes strangers of all rows to come. */
    private static final int SAME_DECODER = 100;

    private static final WalMessage.Begin BEGIN =
            (WalMessage.Begin) new Decoder().decode(Wire.begin().buffer());

    /** A table with a column of each form, and one of arrays of it, but for JSON. */
    private static final ByteBuffer FORMS = Wire.message('R')
            .int32(99)
            .string("public")
            .string("forms")
            .int8('f')
            .int16(10)
            .column(true, "number", 1700)
            .column(true, "truth", 16)
            .column(true, "day", 1082)
            .column(true, "time", 1114)
            .column(true, "instant", 1184)
            .column(true, "of_day", 1266)
            .column(true, "bytes", 17)
            .column(true, "instants", 1185)
            .column(true, "texts", 1009)
            .column(true, "boxes", 1020)
            .buffer();

    private static final ByteBuffer VALUES = Wire.message('I')
            .int32(99)
            .int8('N')
            .row(
                    "-12.5e+3",
                    "t",
                    "0044-03-15 BC",
                    "12345-03-15 12:00:00.5",
                    "1850-01-01 00:00:00-00:01:15",
                    "12:00:00.25-08",
                    "\\x00ff10",
                    "[0:1]={\"2030-01-31 12:34:56+00\",infinity}",
                    "{{a,\"b \\\"c\\\\\"},{NULL,\u2028}}",
                    "{(1,1),(0,0);(2,2),(1,1)}")
            .buffer();

    private static final List<String> VALID = Stream.of(
                    Recorded.on(14).stream().map(Recorded::buffer),
                    Recorded.on(18).stream().map(Recorded::buffer),
                    Stream.of(FORMS, VALUES))
            .flatMap(each -> each)
            .map(each -> new String(each.array(), StandardCharsets.ISO_8859_1))
            .toList();

    /** Numbers that promise too much or less than nothing, kinds of rows and values, what delimits arrays and times. */
    private static final List<String> PARTS = List.of(
            "\u007f\u00ff\u00ff\u00ff",
            "\u0080\0\0\0",
            "\u00ff\u00ff\u00ff\u00ff",
            "\0\0\0\0",
            "\0\0\0\u0001",
            "\u00ff\u00ff",
            "\0",
            "\u0001",
            "t",
            "n",
            "u",
            "b",
            "K",
            "N",
            "O",
            "t\0\0\0\u0001",
            "t\u007f\u00ff\u00ff\u00ff",
            "{",
            "}",
            "\"",
            "\\",
            ",",
            ";",
            "[1:2]=",
            "=",
            "NULL",
            " BC",
            ":",
            "-",
            "+",
            ".",
            "e",
            "\\x",
            "infinity",
            "\u00e2\u0080\u00a8",
            "\u00c3",
            "9999999",
            "\0\0\0c");

    private Decoder decoder = new Decoder();
    private int uses;

    @Test
    void inputsOfSeeds() throws Exception {
        for (long seed : SEEDS) {
            run(seed, 4_000);
        }
        run(Fuzz.freshSeed(), 4_000);
    }

    @Test
    @Tag("heavy")
    void aMillionInputs() throws Exception {
        run(Fuzz.freshSeed(), 1_000_000);
    }

    private void run(long seed, int inputs) throws Exception {
        uses = 0;
        int decoded = Fuzz.run(seed, inputs, VALID, PARTS, this::isDecoded);
        assertThat(decoded).isBetween(inputs / 20, inputs - inputs / 20);
    }

    private boolean isDecoded(String input) {
        if (uses++ % SAME_DECODER == VALID.size() % SAME_DECODER) {
            decoder = new Decoder();
            VALID.forEach(each -> decoder.decode(ByteBuffer.wrap(each.getBytes(StandardCharsets.ISO_8859_1))));
        }
        byte[] bytes = input.getBytes(StandardCharsets.ISO_8859_1);
        try {
            tell(decoder.decode(ByteBuffer.wrap(bytes)));
            return true;
        } catch (DecodeException refused) {
            // Names of tables and columns are in it as the server gave them: whoever shows it makes it printable.
            assertThat(Printable.line(refused.getMessage())).matches("[A-Z].{20,}[.?]");
            return false;
        }
    }

    private static void tell(WalMessage message) {
        if (message instanceof WalMessage.RowChange rowChange) {
            Change change = new Transaction(BEGIN).change(rowChange);
            String json = change.toJson();
            if (change.relation().columns().stream()
                    .noneMatch(column -> column.type().form() == JsonForm.JSON)) {
                Draft.json(json.replace("\\u0000", ""));
            }
            List<String> identity = change.relation().identity();
            change.changesKey(identity);
            identity.forEach(change::changed);
            change.key(identity);
        } else if (message instanceof WalMessage.Truncate truncate) {
            new Transaction(BEGIN).changes(truncate).forEach(Change::toJson);
        } else if (message instanceof WalMessage.Begin begin) {
            new Transaction(begin)
                    .change(new WalMessage.Insert(TELLING.relation(), TELLING.after()))
                    .toJson();
        } else if (message instanceof WalMessage.Emitted emitted) {
            assertThat(emitted.bytes()).hasSize(emitted.content().remaining());
            emitted.text();
        }
        assertThat(message.toString()).isNotEmpty();
    }

    private static final WalMessage.Insert TELLING = telling();

    private static WalMessage.Insert telling() {
        Decoder own = new Decoder();
        own.decode(FORMS);
        return (WalMessage.Insert) own.decode(VALUES);
    }
}
