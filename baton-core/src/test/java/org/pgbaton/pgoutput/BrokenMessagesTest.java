package org.pgbaton.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What comes instead of a message is refused in one sentence; {@link AnyBytesAreDecodedOrRefusedTest} has more of it. */
class BrokenMessagesTest {
    private final Decoder decoder = new Decoder();

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
}
