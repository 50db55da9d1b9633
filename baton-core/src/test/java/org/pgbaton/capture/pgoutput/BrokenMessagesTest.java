package org.pgbaton.capture.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever comes instead of a message, the answer is one sentence. */
class BrokenMessagesTest {
    private static final int ROUNDS = 100_000;

    private Decoder decoder = new Decoder();

    private void broken(ByteBuffer message, String... sentence) {
        assertThatExceptionOfType(DecodeException.class)
                .isThrownBy(() -> decoder.decode(message))
                .withMessageStartingWith("Cannot read a message")
                .withMessageContainingAll(sentence);
    }

    private void table() {
        decoder.decode(Wire.message('R')
                .int32(1)
                .string("public")
                .string("item")
                .int8('d')
                .int16(2)
                .column(true, "id", 23)
                .column(false, "name", 25)
                .buffer());
    }

    @Test
    void aTypeThatDoesNotExist() {
        broken(
                Wire.message('S').int32(1).buffer(),
                "of type 'S'",
                "at byte 1 of 5 there is no such type",
                "protocol version 1");
        broken(Wire.message((char) 0).buffer(), "of type 0x00");
        broken(ByteBuffer.allocate(0), "Cannot read a message from", "at byte 0 of 0");
    }

    @Test
    void aTableThatWasNotDescribed() {
        broken(
                Wire.message('I').int32(-2).int8('N').row("1").buffer(),
                "'I'",
                "table number 4294967294",
                "has not been described");
        table();
        broken(Wire.message('T').int32(2).int8(0).int32(1).int32(2).buffer(), "'T'", "table number 2");
    }

    @Test
    void aRowWithOtherColumnsThanItsTable() {
        table();
        broken(
                Wire.message('I').int32(1).int8('N').row("1").buffer(),
                "a row of public.item has 1 columns, but the table has 2");
    }

    @Test
    void aBinaryValue() {
        table();
        broken(
                Wire.message('I').int32(1).int8('N').int16(2).int8('b').buffer(),
                "at byte 9 of 9 a value is in binary form, which was not asked for");
        broken(Wire.message('I').int32(1).int8('N').int16(2).int8('x').buffer(), "a value is of the unknown kind 'x'");
    }

    @Test
    void aRowOfTheWrongKind() {
        table();
        broken(Wire.message('I').int32(1).int8('O').row("1", "a").buffer(), "a new row should follow, not 'O'");
        broken(
                Wire.message('U').int32(1).int8('K').row("1", "a").int8('K').buffer(),
                "a new row should follow, not 'K'");
        broken(Wire.message('U').int32(1).int8('X').buffer(), "an old row or its key should follow, not 'X'");
        broken(
                Wire.message('D').int32(1).int8('N').row("1", "a").buffer(),
                "an old row or its key should follow, not 'N'");
    }

    @Test
    void aNumberThatPromisesTooMuchTakesNoMemory() {
        table();
        broken(
                Wire.message('I')
                        .int32(1)
                        .int8('N')
                        .int16(2)
                        .int8('t')
                        .int32(Integer.MAX_VALUE)
                        .raw("abc")
                        .buffer(),
                "a value of 2147483647 bytes does not fit into what is left, 3 bytes");
        broken(
                Wire.message('I')
                        .int32(1)
                        .int8('N')
                        .int16(2)
                        .int8('t')
                        .int32(-1)
                        .raw("abc")
                        .buffer(),
                "a value of -1 bytes does not fit");
        broken(Wire.message('T').int32(Integer.MAX_VALUE).int8(0).int32(1).buffer(), "2147483647 tables are announced");
        broken(Wire.message('T').int32(-1).int8(0).int32(1).buffer(), "-1 tables are announced");
        broken(
                Wire.message('R')
                        .int32(2)
                        .string("a")
                        .string("b")
                        .int8('d')
                        .int16(65_535)
                        .column(true, "id", 23)
                        .buffer(),
                "65535 columns are announced");
        broken(
                Wire.message('M')
                        .int8(1)
                        .int64(1)
                        .string("prefix")
                        .int32(1 << 30)
                        .buffer(),
                "the content of 1073741824 bytes");
    }

    @Test
    void unknownFlags() {
        broken(Wire.message('C').int8(1).int64(1).int64(1).int64(1).buffer(), "'C'", "unknown flags 1");
        broken(
                Wire.message('R')
                        .int32(2)
                        .string("a")
                        .string("b")
                        .int8('x')
                        .int16(0)
                        .buffer(),
                "unknown replica identity");
    }

    @Test
    void moreThanAMessage() {
        broken(Wire.begin().int8(0).buffer(), "'B'", "at byte 21 of 22 1 bytes follow where the message should end");
    }

    @Test
    void aBrokenDescriptionReplacesNothing() {
        table();
        broken(
                Wire.message('R')
                        .int32(1)
                        .string("public")
                        .string("other")
                        .int8('d')
                        .int16(1)
                        .column(true, "id", 23)
                        .int8(0)
                        .buffer(),
                "1 bytes follow");
        WalMessage.Insert insert = (WalMessage.Insert) decoder.decode(
                Wire.message('I').int32(1).int8('N').row("1", "a").buffer());
        assertThat(insert.relation().name()).isEqualTo("item");
    }

    @Test
    void aMessageThatEndsTooEarly() {
        for (Recorded recorded : Recorded.on(18)) {
            for (int length = 0; length < recorded.bytes().length; length += length < 100 ? 1 : 97) {
                broken(ByteBuffer.wrap(recorded.bytes(), 0, length), "at byte ", " of " + length + " ");
            }
            decoder.decode(recorded.buffer());
        }
    }

    @Test
    void bytesChangedAtRandomNeverDoMoreThanAnException() {
        long seed = Long.getLong("baton.seed", System.nanoTime());
        Random random = new Random(seed);
        List<Recorded> recorded = Recorded.on(random.nextBoolean() ? 14 : 18);
        List<byte[]> originals = recorded.stream().map(Recorded::bytes).toList();
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            if (round % 100 == 0) {
                // A changed description that reads well makes strangers of all rows to come.
                decoder = new Decoder();
                originals.forEach(each -> decoder.decode(ByteBuffer.wrap(each)));
            }
            byte[] bytes = mutated(originals.get(random.nextInt(originals.size())), random);
            try {
                use(decoder.decode(ByteBuffer.wrap(bytes)));
            } catch (DecodeException expected) {
                assertThat(expected.getMessage()).isNotBlank();
                refused++;
            } catch (RuntimeException | Error other) {
                fail("-Dbaton.seed=" + seed + ", " + HexFormat.of().formatHex(bytes), other);
            }
        }
        assertThat(refused).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 100);
    }

    private static void use(WalMessage message) {
        WalMessage.Begin begin =
                (WalMessage.Begin) new Decoder().decode(Wire.begin().buffer());
        if (message instanceof WalMessage.RowChange rowChange) {
            Change change = new Transaction(begin).change(rowChange);
            assertThat(change.toJson()).endsWith("}");
            assertThat(change.changesKey(change.relation().identity())).isIn(true, false);
            change.changed("id");
            change.key(change.relation().identity());
        } else {
            assertThat(message.toString()).isNotEmpty();
        }
    }

    private static byte[] mutated(byte[] original, Random random) {
        byte[] bytes =
                original.length < 400 || random.nextInt(10) == 0 ? original.clone() : Arrays.copyOf(original, 400);
        int from = random.nextInt(5) == 0 ? 0 : 5;
        for (int i = 1 + random.nextInt(3); i > 0 && bytes.length > from; i--) {
            int at = from + random.nextInt(bytes.length - from);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = (byte) "tnubKNO\0\377\177{}\"\\,".charAt(random.nextInt(15));
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                default -> bytes = spliced(bytes, at, random);
            }
        }
        return bytes;
    }

    /** Leaves some bytes out, or repeats them. */
    private static byte[] spliced(byte[] bytes, int at, Random random) {
        int again = random.nextInt(bytes.length);
        byte[] spliced = Arrays.copyOf(bytes, at + bytes.length - again);
        System.arraycopy(bytes, again, spliced, at, bytes.length - again);
        return spliced;
    }
}
