package org.pgbaton.pgoutput;

import java.nio.ByteBuffer;
import java.util.List;

/** How many rows of ten columns a second one thread decodes, alone, and with JSON and key. A program, no test. */
final class DecodeSpeed {
    private static final int ROWS = 500_000;

    private DecodeSpeed() {}

    public static void main(String[] arguments) {
        Decoder decoder = new Decoder();
        decoder.decode(Wire.message('R')
                .int32(1)
                .string("public")
                .string("trade")
                .int8('d')
                .int16(10)
                .column(true, "id", 20)
                .column(false, "portfolio", 25)
                .column(false, "isin", 1043)
                .column(false, "quantity", 23)
                .column(false, "price", 1700)
                .column(false, "bought", 16)
                .column(false, "traded_at", 1184)
                .column(false, "tags", 1009)
                .column(false, "details", 3802)
                .column(false, "comment", 25)
                .buffer());
        ByteBuffer row = Wire.message('I')
                .int32(1)
                .int8('N')
                .row(
                        "1234567890",
                        "portfolio-17",
                        "DE0001234567",
                        "1000",
                        "101.2500",
                        "t",
                        "2030-01-31 12:34:56.789012+00",
                        "{fast,\"very fast\"}",
                        "{\"venue\": \"XETR\", \"legs\": [1, 2]}",
                        "null")
                .buffer();
        WalMessage.Begin begin = (WalMessage.Begin) decoder.decode(Wire.begin().buffer());
        for (int round = 1; round <= 6; round++) {
            System.out.printf(
                    "round %d: %,d rows/s decoded, %,d rows/s with JSON and key (%d bytes to %d)%n",
                    round,
                    decode(decoder, row),
                    json(decoder, begin, row),
                    row.remaining(),
                    new Transaction(begin)
                            .change((WalMessage.RowChange) decoder.decode(row))
                            .toJson()
                            .length());
        }
    }

    private static long decode(Decoder decoder, ByteBuffer row) {
        long start = System.nanoTime();
        int rows = 0;
        for (int i = 0; i < ROWS; i++) {
            rows += decoder.decode(row) instanceof WalMessage.Insert ? 1 : 0;
        }
        return rate(rows, start);
    }

    private static long json(Decoder decoder, WalMessage.Begin begin, ByteBuffer row) {
        long start = System.nanoTime();
        Transaction transaction = new Transaction(begin);
        JsonBuffer json = new JsonBuffer();
        List<String> key = List.of("id");
        long length = 0;
        for (int i = 0; i < ROWS; i++) {
            Change change = transaction.change((WalMessage.RowChange) decoder.decode(row));
            change.writeTo(json.clear(), null);
            length += json.text().length();
            length += String.valueOf(change.key(key)).length();
        }
        return length == 0 ? 0 : rate(ROWS, start);
    }

    private static long rate(int rows, long start) {
        return rows * 1_000_000_000L / (System.nanoTime() - start);
    }
}
