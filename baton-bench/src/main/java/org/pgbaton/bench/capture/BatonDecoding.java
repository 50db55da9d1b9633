package org.pgbaton.bench.capture;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.pgoutput.Decoder;
import org.pgbaton.pgoutput.Transaction;
import org.pgbaton.pgoutput.WalMessage;

/**
 * Baton's decoder alone: it makes the key and the JSON of each message and writes them nowhere, on the one thread that
 * reads.
 */
final class BatonDecoding implements Runnable, LongSupplier {
    private static final List<String> KEY = List.of("id");

    private final SlotReader reader;
    private final BiConsumer<String, String> sink;
    private Decoder decoder = new Decoder();
    private @Nullable Transaction transaction;

    BatonDecoding(Map<String, String> options, BiConsumer<String, String> sink, Runnable endOfBatch) {
        this.reader = new SlotReader(options, this::take);
        this.sink = sink;
    }

    private boolean take(ByteBuffer bytes) {
        WalMessage message = decoder.decode(bytes);
        if (message instanceof WalMessage.Begin begin) {
            transaction = new Transaction(begin);
        } else if (message instanceof WalMessage.RowChange row && transaction != null) {
            Change change = transaction.change(row);
            sink.accept(String.valueOf(change.key(KEY)), change.toJson());
            return true;
        }
        return false;
    }

    @Override
    public void run() {
        decoder = new Decoder();
        reader.run();
    }

    @Override
    public long getAsLong() {
        return reader.getAsLong();
    }
}
